// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <span>
#include <vector>

namespace kaon::detail {

/// Part of a target that an inner solve aims at, so that one is enough as a rule.
inline constexpr double refinement_safety = 0.9;

struct RefinementRules {
  int most_solves = 4;
  /// A right-hand side goes on only where an inner solve leaves at most this part of the residual, whether it converged
  /// or not. 0: only where the inner solve converged, to a target that is lower by as much as |b - M x| missed its own.
  double least_progress = 0.0;
  SolveStatus out_of_solves = SolveStatus::stagnated;  ///< status after the last solve, above the target
};

/// Solve, true residual, smaller target, again: the books of solves that go on until |b - M x| is small enough.
///
///   Refinement refinement(targets, request, {});
///   refinement.run([&](const SolveRequest& inner) { return solver.solve(x, b, inner); },
///                  [&] { return refinement.goes_on(norms of b - M x); });
class Refinement {
 public:
  /// The first inner solve is asked for what `targets` and `request` ask for.
  Refinement(const Targets& targets, const SolveRequest& request, const RefinementRules& rules);

  /// Of the next inner solve: targets, right-hand sides that need it, iterations that are left.
  SolveRequest& request() { return request_; }
  /// The inner solves together; status and true residuals are those of M.
  SolveResult& result() { return result_; }
  int solves() const { return solves_; }

  /// Adds an inner solve of `request()`.
  void append(const SolveResult& solved);
  /// Takes in |b - M x|. True if another inner solve is needed, then `request()` names the right-hand sides. Sides in
  /// `unmet` need one although |b - M x| is small enough.
  bool goes_on(std::span<const double> norm, const std::vector<bool>& unmet = {});

  /// Calls `solve(request())`, which returns a `SolveResult`, and `next()`, which returns what `goes_on` says of the
  /// residual, until no right-hand side goes on.
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
