// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/gauge/loop_action.hpp>
#include <kaon/hmc/gauge_action.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

GaugeAction::GaugeAction(double beta, const LoopWeights& weights) : beta_(beta), weights_(weights) {
  require(std::isfinite(beta) && std::isfinite(weights.plaquette) && std::isfinite(weights.rectangle), [&] {
    return fmt::format("a gauge action needs finite numbers, not beta = {}, c_0 = {} and c_1 = {}", beta,
                       weights.plaquette, weights.rectangle);
  });
}

std::string GaugeAction::name() const {
  return fmt::format("gauge action, beta = {}, c_0 = {:.6g}, c_1 = {:.6g}", beta_, weights_.plaquette,
                     weights_.rectangle);
}

double GaugeAction::value(const GaugeField<double>& links) { return loop_action(links, beta_, weights_); }

void GaugeAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  add_loop_force(matrices, links, beta_, weights_);
}

}  // namespace kaon
