// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/omitted_direction.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/loop_action.hpp>

namespace kaon::detail {

struct ExponentialStage {
  LoopWeights weights;
  int omitted = none_omitted;
  double gain;                           ///< of Z = TA(C U^dag), C the staples with their weights
  double keep = 0.0;                     ///< of P'
  GaugeField<double>* before = nullptr;  ///< P'; where keep is 0 it is not read
  GaugeField<double>* after = nullptr;   ///< where P goes, unless null; not `before`
};

/// P = gain Z + keep P', out = exp(P) U: a step of stout smearing, a stage of a flow. `out` is not `links`. Collective.
/// Throws `Error` for compressed links.
void exponential_stage(GaugeField<double>& out, const GaugeField<double>& links, const ExponentialStage& stage);

}  // namespace kaon::detail
