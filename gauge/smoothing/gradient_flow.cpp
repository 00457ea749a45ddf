// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/agreement.hpp"
#include "gauge/smoothing/exponential_stage.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/gradient_flow.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace kaon {
namespace {

/// P_i = gain e Z(W_{i-1}) + keep P_{i-1}, W_i = exp(P_i) W_{i-1}.
struct Stage {
  double gain;
  double keep;
};

constexpr Stage third_order[] = {{1.0 / 4.0, 0.0}, {8.0 / 9.0, -17.0 / 9.0}, {3.0 / 4.0, -1.0}};

/// P_i = beta_i D_i, D_i = alpha_i D_{i-1} + e Z.
constexpr std::array<Stage, 6> make_fourth_order() {
  constexpr double alpha[] = {0.0, -0.737101392796, -1.634740794341, -0.744739003780, -1.469897351522, -2.813971388035},
                   beta[] = {0.032918605146, 0.823256998200, 0.381530948900, 0.200092213184, 1.718581042715, 0.27};
  std::array<Stage, 6> stages{};
  for (std::size_t i = 0; i < 6; ++i) stages[i] = {beta[i], i == 0 ? 0.0 : alpha[i] * beta[i] / beta[i - 1]};
  return stages;
}
constexpr std::array<Stage, 6> fourth_order = make_fourth_order();

std::span<const Stage> stages_of(int order) {
  if (order == 4) return fourth_order;
  return third_order;
}

/// A step of third order multiplies a wave of rate w by 1 + z + z^2/2 + z^3/6 with z = -w e, which is below -1 beyond z
/// = -2.513.
void warn_of_long_steps(const Communicator& communicator, const FlowParameters& parameters, double time) {
  const double longest =
      (parameters.order == 4 ? 4.071 : 2.513) / detail::rate_of_short_waves(parameters.weights, time);
  detail::warn_of_growth(communicator, fmt::format("steps of {} of a gradient flow are", parameters.step), "steps",
                         parameters.step, longest);
}

FlowParameters checked(const GaugeField<double>& links, const FlowParameters& parameters) {
  const auto& [step, weights, time, order, anisotropy] = parameters;
  detail::require_same(links.lattice().communicator(), "flows",
                       fmt::format("steps of {}, c_0 {}, c_1 {}, time {}, order {}, anisotropy {}", step,
                                   weights.plaquette, weights.rectangle, time, order, anisotropy));
  require(std::isfinite(step) && step > 0.0,
          [&] { return fmt::format("a flow cannot have steps of {}: take a number above 0, such as 0.01", step); });
  require(std::isfinite(weights.plaquette + weights.rectangle + time), [&] {
    return fmt::format("a flow needs finite numbers, not c_0 = {}, c_1 = {} and the time {}", weights.plaquette,
                       weights.rectangle, time);
  });
  require(order == 3 || order == 4, [&] { return fmt::format("a flow of order {}: 3 and 4 are possible", order); });
  const double time_weight = detail::time_weight(anisotropy);
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_unitary(links, "the gradient flow");
  warn_of_long_steps(links.lattice().communicator(), parameters, time_weight);
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
  detail::require_same(links_.lattice().communicator(), "flows", fmt::format("{} steps", steps));
  require(steps >= 0, [&] { return fmt::format("a flow cannot go {} steps on: 0 or more are possible", steps); });
  const double step = parameters_.step;
  const std::span<const Stage> stages = stages_of(parameters_.order);
  for (int n = 0; n < steps; ++n) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      see(static_cast<int>(i), links_);
      detail::exponential_stage(next_, links_,
                                {.weights = parameters_.weights,
                                 .time = detail::time_weight(parameters_.anisotropy),
                                 .gain = step * stages[i].gain,
                                 .keep = stages[i].keep,
                                 .before = &drifts_[(i + 1) % 2],
                                 .after = i + 1 < stages.size() ? &drifts_[i % 2] : nullptr});
      std::swap(next_, links_);
    }
    ++steps_;
  }
  require(steps == 0 || detail::have_stayed_unitary(links_), [&] {
    return fmt::format(
        "a flow with steps of {} has left SU(3), since exponentials overflow or are rounding: take smaller ones", step);
  });
}

namespace {

struct Point {
  double time, value;
};

/// The time at which the values cross the level from below first.
std::optional<double> crossing(std::span<const Point> points, double level) {
  for (std::size_t k = 1; k < points.size(); ++k) {
    const Point &a = points[k - 1], &b = points[k];
    if (a.value < level && b.value >= level) {
      return a.time + (level - a.value) / (b.value - a.value) * (b.time - a.time);
    }
  }
  return std::nullopt;
}

/// At the point in the middle, of the parabola through three points.
double derivative(const Point& before, const Point& at, const Point& after) {
  const double h = at.time - before.time, k = after.time - at.time;
  return (k * (at.value - before.value) / h + h * (after.value - at.value) / k) / (h + k);
}

}  // namespace

FlowScales flow_scales(std::span<const FlowPoint> points, double level) {
  std::vector<Point> values, slopes;
  for (const auto& [time, energy] : points) values.push_back({time, time * time * energy});
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    slopes.push_back({values[k].time, values[k].time * derivative(values[k - 1], values[k], values[k + 1])});
  }
  FlowScales scales;
  const std::span<const Point> measured = std::span(values).subspan(!values.empty() && values[0].time == 0.0 ? 1 : 0);
  scales.passes_t0_before = !measured.empty() && measured.front().value >= level;
  if (!scales.passes_t0_before) scales.t0 = crossing(measured, level);
  scales.passes_w0_before = !slopes.empty() && slopes.front().value >= level;
  if (!scales.passes_w0_before) scales.w0 = crossing(slopes, level);
  if (scales.w0) scales.w0 = std::sqrt(*scales.w0);
  return scales;
}

}  // namespace kaon
