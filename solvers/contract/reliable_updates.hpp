// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <span>
#include <vector>

namespace kaon::detail {

/// Decides when a recurrence in a lower precision replaces its residual by the true one: if the residuals of half of
/// the running right-hand sides have fallen by `SolverParameters::reliable_delta`, or that of one has fallen much
/// further (Clark et al., arXiv:0911.3191, section 6). In one precision there is one update, near the target, from
/// which the error of x is estimated (`BestSolution`).
class ReliableUpdates {
 public:
  ReliableUpdates(std::size_t right_hand_sides, const SolverParameters& parameters, bool mixed = true);

  /// In one precision: no update.
  void skip() {
    for (Numbers& numbers : numbers_) numbers.updated = true;
  }
  /// In one precision: updates as in two.
  void replace() { mixed_ = true; }
  /// Sets the first residual of the recurrence of right-hand side k.
  void begin(std::size_t k, double norm) { numbers_[k].largest_norm = norm; }
  /// Records |r| after an iteration, before an update. Returns true if one is due, or was deferred.
  bool is_due(std::span<const RightHandSide> sides, std::span<const double> norm);
  /// Like `is_due`, if the next iteration has been enqueued: an update that is due is made at the end of that.
  bool defer(std::span<const RightHandSide> sides, std::span<const double> norm);
  /// |r| of right-hand side k after the next iteration, if it falls as in the last.
  double expected_norm(std::size_t k, const RightHandSide& side) const {
    return numbers_[k].reduction * side.iterated_norm();
  }
  /// True if an update was deferred, or is expected at the end of the next iteration, if residuals fall as in the last.
  bool is_expected(std::span<const RightHandSide> sides) const;

  /// Starts an update: `take` follows for right-hand sides that are active and finite.
  void begin_update();
  enum class Outcome { goes_on, stagnated, diverged };
  /// Records |b - M x| of right-hand side k, whose recurrence had `iterated_norm`.
  Outcome take(std::size_t k, RightHandSide& side, double norm, double iterated_norm);
  /// Whether the last |r| are those of an update.
  bool updated() const { return updated_; }

  /// Records |r| at the end of an iteration, before `side` does.
  void record(std::size_t k, const RightHandSide& side, double norm);
  /// True if no update has been useful for too many iterations.
  bool waits_too_long(std::size_t k, const RightHandSide& side) const;

 private:
  struct Numbers {
    double largest_norm = 0.0;  // since the last update or restart
    double reduction = 0.0;     // of |r| in the last iteration: at most 1, 0 before there was one
    int last_update = 0;        // iteration of the last useful one
    int failed_updates = 0;     // in a row
    bool due = false;
    bool updated = false;  // when it was due
  };
  template <class NormOf>
  bool is_due(std::span<const RightHandSide> sides, const NormOf& norm_of, std::vector<bool>& due) const;
  /// |r| of right-hand side k at which an update is due.
  double limit(std::size_t k, const RightHandSide& side) const;

  double delta_;
  bool mixed_;
  int max_iterations_without_progress_;
  std::vector<Numbers> numbers_;
  bool pending_ = false;  // an update is deferred to the next iteration
  bool updated_ = false;
};

}  // namespace kaon::detail
