// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "gauge/exponential_stage.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/gradient_flow.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {
namespace {

FlowParameters checked(const GaugeField<double>& links, const FlowParameters& parameters) {
  const auto& [step, weights, time] = parameters;
  require(std::isfinite(step) && step > 0.0,
          [&] { return fmt::format("a flow cannot have steps of {}: take a number above 0, such as 0.01", step); });
  require(std::isfinite(weights.plaquette + weights.rectangle + time), [&] {
    return fmt::format("a flow needs finite numbers, not c_0 = {}, c_1 = {} and the time {}", weights.plaquette,
                       weights.rectangle, time);
  });
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_unitary(links, "the gradient flow");
  return parameters;
}

}  // namespace

GradientFlow::GradientFlow(const GaugeField<double>& links, const FlowParameters& parameters)
    : parameters_(checked(links, parameters)),
      links_(links.clone()),
      next_(links.lattice()),
      drifts_{GaugeField<double>(links.lattice()), GaugeField<double>(links.lattice())} {}

void GradientFlow::advance(int steps) {
  advance(steps, [](int, const GaugeField<double>&) {});
}

void GradientFlow::advance(int steps, const std::function<void(int, const GaugeField<double>&)>& see) {
  require(steps >= 0, [&] { return fmt::format("a flow cannot go {} steps on: 0 or more are possible", steps); });
  const double step = parameters_.step;
  const detail::ExponentialStage first{.weights = parameters_.weights, .gain = step / 4.0, .after = &drifts_[0]};
  const detail::ExponentialStage second{.weights = parameters_.weights,
                                        .gain = 8.0 / 9.0 * step,
                                        .keep = -17.0 / 9.0,
                                        .before = &drifts_[0],
                                        .after = &drifts_[1]};
  const detail::ExponentialStage third{
      .weights = parameters_.weights, .gain = 3.0 / 4.0 * step, .keep = -1.0, .before = &drifts_[1]};
  for (int n = 0; n < steps; ++n) {
    see(0, links_);
    detail::exponential_stage(next_, links_, first);
    see(1, next_);
    detail::exponential_stage(links_, next_, second);
    see(2, links_);
    detail::exponential_stage(next_, links_, third);
    std::swap(next_, links_);
    ++steps_;
  }
  require(steps == 0 || detail::have_stayed_unitary(links_), [&] {
    return fmt::format(
        "a flow with steps of {} has left SU(3), since exponentials overflow or are rounding: take smaller ones", step);
  });
}

}  // namespace kaon
