// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>

namespace kaon::detail {

/// Changes of a multigrid after the links of its operator have changed.
enum class Upkeep {
  keep,     ///< its levels, of earlier links, precondition the new operator
  refresh,  ///< new levels from its near-null vectors (`Multigrid::refreshed`)
  rebuild,  ///< new levels from noise
  leave     ///< solves without multigrid
};

/// Chooses the upkeep of a multigrid along trajectories by seconds alone.
///
/// A solve costs its seconds for each order of magnitude of its residual. It wastes what it costs beyond the cheapest
/// solve since the last setup. When solves have wasted as much as a refresh costs, the multigrid is refreshed. A
/// refresh that does not bring back the cheapest solve since the last rebuild wastes that difference in each later
/// solve, and when this is as much as a rebuild costs, the multigrid is rebuilt: the waste and the setups together cost
/// at most twice those of the best times for setups (the rule of rent or buy, A. R. Karlin et al., Algorithmica 3
/// (1988) 79). The first refresh, whose price is not known, follows the first waste.
///
/// With `may_leave`, multigrid competes with solves without it:
/// - The solves for one change of the links are tried without multigrid before the first refresh, or when multigrid has
///   cost as much as its rebuild, and again when it has cost `seconds_between_trials` times such a trial.
/// - It is left where a period between two setups, one of which is included, costs more than it would without
///   multigrid, or where solves alone have cost more by a refresh.
/// - It returns right after a trial that was more expensive; later, by a rebuild, when solves without it have cost more
///   by a rebuild, or `seconds_between_trials` times a rebuild and a period.
class MultigridUpkeep {
 public:
  /// Trials cost at most 1/32 of the seconds.
  static constexpr double seconds_between_trials = 32.0;

  /// `rebuild`: the seconds of the setup from noise that has been made.
  MultigridUpkeep(bool may_leave, double rebuild) : may_leave_(may_leave), rebuild_(rebuild) {}

  /// Upkeep for links that have changed. After `leave`, `add_solve` takes solves without multigrid.
  Upkeep next() const;
  /// A setup of these seconds; those of `keep` and `leave` do not count. After a second `leave` in turn the levels are
  /// not needed any more: a rebuild comes next.
  void add_setup(Upkeep kind, double seconds);
  /// A solve that has reduced its residual by so many orders of magnitude.
  void add_solve(double seconds, double orders);

 private:
  /// Solves with multigrid since a setup, and later setups.
  struct Period {
    double best = std::numeric_limits<double>::infinity();  // seconds for an order
    double wasted = 0.0, seconds = 0.0, orders = 0.0;
    /// Adds a solve, of whose seconds those beyond the best rate are wasted as far as they are `avoidable`.
    void add(double seconds_of_solve, double orders_of_solve, double avoidable);
    /// Seconds for an order, with a setup of this price.
    double rate(double setup) const { return (seconds + setup) / orders; }
  };
  /// Solves without multigrid since it was left.
  struct Stay {
    int changes_of_links = 0;
    double seconds = 0.0, orders = 0.0;
    double excess = 0.0;  // seconds beyond those of multigrid; not below zero
  };

  bool needs_rebuild() const { return since_rebuild_.wasted > rebuild_; }
  bool needs_setup() const { return needs_rebuild() || since_refresh_.wasted > refresh_.value_or(0.0); }
  bool loses() const;
  bool returns() const;
  /// Seconds of multigrid for an order; with the setup that is needed.
  double rate_with() const;

  bool may_leave_;
  double rebuild_;  // seconds
  std::optional<double> refresh_{};
  Period since_refresh_, since_rebuild_;
  std::optional<Stay> left_{};
  std::optional<double> rate_without_{};  // seconds for an order, when it was last left
  double trial_ = 0.0, since_trial_ = 0.0;
};

}  // namespace kaon::detail
