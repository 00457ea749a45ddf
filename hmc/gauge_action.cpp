// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/hmc/gauge_action.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

GaugeAction::GaugeAction(double beta, const LoopWeights& weights)
    : GaugeAction(beta, OneLoopWeights{.planar = weights}) {}

GaugeAction::GaugeAction(double beta, const OneLoopWeights& weights) : beta_(beta), weights_(weights) {
  const LoopWeights& planar = weights.planar;
  require(std::isfinite(beta) && std::isfinite(planar.plaquette) && std::isfinite(planar.rectangle) &&
              std::isfinite(weights.parallelogram),
          [&] {
            return fmt::format("a gauge action needs finite numbers, not beta = {}, c_0 = {}, c_1 = {} and c_2 = {}",
                               beta, planar.plaquette, planar.rectangle, weights.parallelogram);
          });
}

std::string GaugeAction::name() const {
  const std::string text = fmt::format("gauge action, beta = {}, c_0 = {:.6g}, c_1 = {:.6g}", beta_,
                                       weights_.planar.plaquette, weights_.planar.rectangle);
  return weights_.parallelogram == 0.0 ? text : fmt::format("{}, c_2 = {:.6g}", text, weights_.parallelogram);
}

double GaugeAction::value(const GaugeField<double>& links) { return one_loop_action(links, beta_, weights_); }

void GaugeAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  add_one_loop_force(matrices, links, beta_, weights_);
}

}  // namespace kaon
