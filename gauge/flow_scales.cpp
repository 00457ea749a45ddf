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

}  // namespace

FlowScales flow_scales(std::span<const FlowPoint> points, double level) {
  std::vector<Point> values, slopes;
  for (const auto &[time, energy] : points) values.push_back({time, time * time * energy});
  if (!values.empty() && values[0].time == 0.0) slopes.push_back({0.0, 0.0});
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    const Point &a = values[k - 1], &here = values[k], &b = values[k + 1];
    const double before = here.time - a.time, after = b.time - here.time;
    // Of the parabola through the three points.
    const double slope =
        (before / after * (b.value - here.value) + after / before * (here.value - a.value)) / (before + after);
    slopes.push_back({here.time, here.time * slope});
  }
  FlowScales scales{.t0 = crossing(values, level), .w0 = crossing(slopes, level)};
  if (scales.w0) scales.w0 = std::sqrt(*scales.w0);
  return scales;
}

}  // namespace kaon
