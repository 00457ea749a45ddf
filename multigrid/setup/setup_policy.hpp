// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace kaon::detail {

/// Origin of the near-null vectors of the first level.
enum class VectorOrigin { noise, given };

/// The decisions of a setup, which depend on numbers alone. A convergence is the factor by which an iteration of the
/// first level reduces the residual.
class SetupPolicy {
 public:
  /// `bootstraps`: of the first level; none: as many as pay, about `max_bootstraps` at most. `may_widen`: levels with
  /// more vectors are possible.
  SetupPolicy(VectorOrigin origin, std::optional<int> bootstraps, int max_bootstraps, bool may_widen = false)
      : origin_(origin),
        fixed_(bootstraps),
        may_widen_(may_widen),
        most_(bootstraps.value_or(max_bootstraps)),
        more_(max_bootstraps) {}

  /// The policy for levels with more vectors, after levels that converge badly. All levels bootstrap.
  static SetupPolicy with_more_vectors(int max_bootstraps);

  VectorOrigin origin() const { return origin_; }
  /// Maximum number of bootstraps of the first level.
  int most_bootstraps() const { return most_; }
  /// Bootstraps of a lower level if their number is unset.
  int lower_bootstraps() const { return lower_; }

  /// Whether the convergence after a step decides on the next one.
  bool needs_convergence() const { return !fixed_; }
  /// Whether given vectors of this convergence are no better than noise. Then `origin` becomes noise.
  bool drops_given_vectors(double convergence);
  /// Whether the first level gains by another bootstrap. `convergence`: none unless `needs_convergence`.
  bool is_worth_another(std::optional<double> convergence);
  /// Whether the factor after `step` bootstraps cannot be expected to become as small as `worst`.
  bool is_hopeless(int step, double worst) const;
  /// Whether levels with more vectors should replace these, after `step` bootstraps of the first.
  bool wants_more_vectors(int step) const;
  /// Whether lower levels bootstrap their vectors from now on, after `step` bootstraps of the first of `levels`.
  bool begins_lower_bootstraps(int step, int levels);

 private:
  VectorOrigin origin_;
  std::optional<int> fixed_;
  bool may_widen_;
  int most_, more_, lower_ = 0;
  double convergence_ = 1.0;  // measured last
};

/// Whether a V-cycle converges nearly as fast as a K-cycle.
bool suffices_v_cycle(double v_cycle, double k_cycle);
/// Whether smoothers with fixed weights converge nearly as fast as minimal residuals.
bool suffice_fixed_weights(double fixed, double minimal_residuals);

}  // namespace kaon::detail
