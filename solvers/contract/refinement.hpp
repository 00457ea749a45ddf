// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <span>
#include <vector>

namespace kaon::detail {

/// Part of a target that an inner solve aims at, so that one solve is usually enough.
inline constexpr double refinement_safety = 0.9;

struct RefinementRules {
  int most_solves = 4;
  /// A right-hand side is solved again only if the last inner solve left at most this part of the residual. 0: only if
  /// the inner solve converged; the next target is lower by the factor by which |b - M x| missed its own.
  double least_progress = 0.0;
  SolveStatus out_of_solves = SolveStatus::stagnated;  ///< status after the last solve, above the target
};

/// Repeats inner solves with smaller targets until |b - M x| is small enough, and adds up their results.
///
///   Refinement refinement(targets, request, {});
///   refinement.run([&](const SolveRequest& inner) { return solver.solve(x, b, inner); },
///                  [&] { return refinement.goes_on(norms of b - M x); });
class Refinement {
 public:
  /// The request of the first inner solve is that of `targets` and `request`.
  Refinement(const Targets& targets, const SolveRequest& request, const RefinementRules& rules);

  /// The request of the next inner solve: targets, active right-hand sides, remaining iterations.
  SolveRequest& request() { return request_; }
  /// The inner solves together; status and true residuals are those of M.
  SolveResult& result() { return result_; }
  int solves() const { return solves_; }

  /// Adds an inner solve of `request()`.
  void append(const SolveResult& solved);
  /// Records |b - M x|. Returns whether another inner solve is needed: `request()` names its right-hand sides. Sides in
  /// `unmet` need one although |b - M x| is small enough.
  bool goes_on(std::span<const double> norm, const std::vector<bool>& unmet = {});

  /// Calls `solve(request())`, which returns a `SolveResult`, and `next()`, which returns `goes_on` of the residual,
  /// until no right-hand side needs another solve.
  template <class Solve, class Next>
  void run(const Solve& solve, const Next& next) {
    do {
      append(solve(request_));
    } while (next());
  }

 private:
  Targets targets_;
  SolveRequest whole_, request_;
  RefinementRules rules_;
  SolveResult result_;
  std::vector<double> last_norm_;  // |b - M x|
  int solves_ = 0;
};

}  // namespace kaon::detail
