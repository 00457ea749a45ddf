// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/setup_policy.hpp"

#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

/// A smaller factor ends the bootstraps.
constexpr double good_convergence = 0.2;
/// A bootstrap that increases -ln of the factor by less than this part is the last.
constexpr double least_gain = 0.1;
/// `good_convergence` for given vectors. Setups from noise usually end near this factor.
constexpr double good_convergence_of_given = 0.4;
/// With a larger factor, given vectors are dropped in favour of relaxed noise, and bootstraps continue regardless of
/// the gain of the last one.
constexpr double bad_convergence = 0.6;
/// Bootstraps of the vectors below the first level. Usually R v_j are good enough (docs/decisions.md 19), but not if
/// convergence is bad after `patience` bootstraps of the first level (docs/decisions.md 24).
constexpr int patience = 4, lower_bootstraps_where_bad = 2;
/// Levels get more vectors if convergence is bad after this number of bootstraps (docs/decisions.md 48).
constexpr int patience_with_few_vectors = 2;
/// Further bootstraps and more vectors increase -ln of the factor by less than this. Largest one measured: 5
/// (docs/measurements/multigrid/wide_levels.json).
constexpr double most_gain_of_bootstraps = 10.0;
/// A V-cycle replaces the K-cycle if its -ln of the factor is at least this part of that of the K-cycle. Its iteration
/// takes 0.66 of the time with one right-hand side and 0.75 with twelve (HISQ quarks on 32^3x64, one H200).
constexpr double least_rate_of_v_cycle = 0.7;
/// This part for fixed weights in place of minimal residuals, which save one application of four.
constexpr double least_rate_of_fixed_weights = 0.9;

}  // namespace

SetupPolicy SetupPolicy::with_more_vectors(int max_bootstraps) {
  SetupPolicy policy(VectorOrigin::noise, std::nullopt, max_bootstraps);
  policy.lower_ = lower_bootstraps_where_bad;
  return policy;
}

bool SetupPolicy::drops_given_vectors(double convergence) {
  if (origin_ == VectorOrigin::noise || convergence <= bad_convergence) return false;
  origin_ = VectorOrigin::noise;
  return true;
}

bool SetupPolicy::is_worth_another(std::optional<double> convergence) {
  if (!convergence) return true;
  const double before = std::exchange(convergence_, *convergence);
  if (convergence_ < (origin_ == VectorOrigin::noise ? good_convergence : good_convergence_of_given)) return false;
  if (convergence_ > bad_convergence) return true;  // the gain may come with a later step
  return -std::log(convergence_) >= (1.0 + least_gain) * -std::log(before);
}

bool SetupPolicy::is_hopeless(int step, double worst) const {
  return !fixed_ && step >= patience_with_few_vectors &&
         most_gain_of_bootstraps * -std::log(convergence_) < -std::log(worst);
}

bool SetupPolicy::wants_more_vectors(int step) const {
  return may_widen_ && !fixed_ && step >= patience_with_few_vectors && convergence_ > bad_convergence;
}

bool SetupPolicy::begins_lower_bootstraps(int step, int levels) {
  if (fixed_ || lower_ > 0 || step != patience || levels < 3 || convergence_ <= bad_convergence) return false;
  lower_ = lower_bootstraps_where_bad;
  most_ += more_;
  return true;
}

bool suffices_v_cycle(double v_cycle, double k_cycle) {
  return std::log(v_cycle) <= least_rate_of_v_cycle * std::log(k_cycle);
}

bool suffice_fixed_weights(double fixed, double minimal_residuals) {
  return std::log(fixed) <= least_rate_of_fixed_weights * std::log(minimal_residuals);
}

}  // namespace kaon::detail
