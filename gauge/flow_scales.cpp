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
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    const Point &a = values[k - 1], &b = values[k + 1];
    slopes.push_back({values[k].time, values[k].time * (b.value - a.value) / (b.time - a.time)});
  }
  FlowScales scales{.t0 = crossing(values, level), .w0 = crossing(slopes, level)};
  if (scales.w0) scales.w0 = std::sqrt(*scales.w0);
  return scales;
}

}  // namespace kaon
