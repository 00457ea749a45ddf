// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <algorithm>

namespace kaon::detail {

/// The request of the right-hand sides that rounding has stopped, which another solve may help, with the iterations
/// that are left.
inline SolveRequest of_stagnated(const SolveResult& result, const SolveRequest& request) {
  SolveRequest rest = request.after(result);
  rest.active.clear();
  for (const auto& r : result.right_hand_sides) rest.active.push_back(r.status == SolveStatus::stagnated);
  return rest;
}

inline bool any_stagnated(const SolveResult& result) {
  return std::ranges::any_of(result.right_hand_sides, [](const auto& r) { return r.status == SolveStatus::stagnated; });
}

}  // namespace kaon::detail
