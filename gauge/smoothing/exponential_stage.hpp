// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/staggered/omitted_direction.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/loop_action.hpp>

#include <array>
#include <string>

namespace kaon::detail {

/// How often staples in time count: xi^2 of the anisotropy xi = a_s/a_t, and 1 where time is omitted and there are
/// none. Throws `Error` unless xi is above 0, and xi^2 and its inverse are numbers.
double time_weight(double anisotropy, int omitted = none_omitted);

/// The largest rate at which dU/dt = Z U, Z = TA(C U^dag), damps waves of smooth links, the shortest ones:
/// 4 c_0 (D - 1 + xi^2), xi = 1 without time.
double rate_of_short_waves(const LoopWeights& weights, double time = 1.0, int omitted = none_omitted);

/// Warns on the first process that `what`, "steps of 1 are", is unstable, if `number` is above `largest` or below 0;
/// `name` is that of the number.
void warn_of_growth(const Communicator& communicator, const std::string& what, const std::string& name, double number,
                    double largest);

struct ExponentialStage {
  LoopWeights weights;
  int omitted = none_omitted;
  double time = 1.0;                                  ///< `time_weight`
  double gain;                                        ///< of Z = TA(C U^dag), C the staples with their weights
  std::array<double, 4> factors{1.0, 1.0, 1.0, 1.0};  ///< of gain, by the direction of U
  double keep = 0.0;                                  ///< of P'
  GaugeField<double>* before = nullptr;               ///< P'; where keep is 0 it is not read
  GaugeField<double>* after = nullptr;                ///< where P goes, unless null; not `before`
};

/// P = gain factor_mu Z + keep P', out = exp(P) U: a step of stout smearing, a stage of a flow. `out` is not `links`.
/// Collective. Throws `Error` for compressed links.
void exponential_stage(GaugeField<double>& out, const GaugeField<double>& links, const ExponentialStage& stage);

}  // namespace kaon::detail
