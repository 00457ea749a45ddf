// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace kaon::detail {

/// A request for the right-hand sides that rounding has stopped, with the iterations that are left.
inline SolveRequest restart_request(const SolveResult& result, const SolveRequest& request) {
  SolveRequest rest = request.after(result);
  rest.active.clear();
  for (const auto& r : result.right_hand_sides) rest.active.push_back(r.status == SolveStatus::stagnated);
  return rest;
}

inline bool any_stagnated(const SolveResult& result) {
  return std::ranges::any_of(result.right_hand_sides, [](const auto& r) { return r.status == SolveStatus::stagnated; });
}

/// The request with at most `most` iterations of each shift, numbered through the sweep and the solves after it.
inline SolveRequest counted(const SolveRequest& request, std::size_t right_hand_sides, int most) {
  SolveRequest counting = request.bounded(right_hand_sides, most);
  counting.progress = request.progress.counted();
  return counting;
}

/// Restarts, after a sweep, each shift that rounding has stopped, by `solve_alone(s, request)`, until the receiver ends
/// the solve. If `possible` is false, no shift restarts.
template <class SolveAlone>
void restart_stagnated(std::span<SolveResult> swept, const SolveRequest& request, bool possible,
                       const SolveAlone& solve_alone) {
  bool stopped = std::ranges::any_of(swept, &SolveResult::stopped);
  for (std::size_t s = 0; s < swept.size(); ++s) {
    SolveResult& result = swept[s];
    if (possible && !stopped && any_stagnated(result)) {
      const SolveRequest rest = restart_request(result, request);
      result.append(solve_alone(s, rest), rest);
    }
    stopped = stopped || result.stopped;
    for (auto& r : result.right_hand_sides) {
      if (stopped && r.status == SolveStatus::stagnated) r.status = SolveStatus::stopped;  // no restart follows
    }
    result.stopped = stopped;
  }
}

}  // namespace kaon::detail
