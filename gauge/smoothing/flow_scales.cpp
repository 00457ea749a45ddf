// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/gauge/gradient_flow.hpp>

#include <cmath>
#include <vector>

namespace kaon {
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
  FlowScales scales{.t0 = crossing(values, level), .w0 = std::nullopt};
  scales.passes_w0_before = !slopes.empty() && slopes.front().value >= level;
  if (!scales.passes_w0_before) scales.w0 = crossing(slopes, level);
  if (scales.w0) scales.w0 = std::sqrt(*scales.w0);
  return scales;
}

}  // namespace kaon
