// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch.hpp"

namespace kaon::detail {
namespace {

constexpr int warp = 32;

/// Teams of whole warps with up to `largest_team` threads, which share links if they have threads for several
/// right-hand sides, and threads that take several.
std::vector<LaunchShape> device_shapes(int right_hand_sides) {
  std::vector<LaunchShape> shapes;
  for (const int sequence : {1, 2, 3, 4}) {
    for (const int sites : {8, 16, 32, 64, 128}) {
      for (const int threads : {1, 2, 3, 4, 6, 12}) {
        const int team = sites * threads;
        const int taken = threads * sequence;
        const int passes = (right_hand_sides + taken - 1) / taken;
        const bool idles = 4 * passes * taken > 5 * right_hand_sides;  // more than a quarter
        if (team % warp == 0 && team <= largest_team && !idles) shapes.push_back({sites, threads, sequence});
      }
    }
  }
  return shapes;
}

/// Fewer right-hand sides at a time are more sites in the caches; in return links are read again, from the caches too
/// if it is soon.
std::vector<LaunchShape> host_shapes(int sites, int right_hand_sides, int threads) {
  std::vector<LaunchShape> shapes;
  const int share = (sites + threads - 1) / threads;
  for (const int together : {1, 2, 4}) {
    if (together >= right_hand_sides) break;
    for (const int turn : {16, 128}) {
      if (2 * turn <= share) shapes.push_back({turn, 1, together});
    }
    shapes.push_back({share, 1, together});
  }
  return shapes;
}

}  // namespace

LaunchShape standard_shape(int right_hand_sides) {
  if (!on_device) return {1, 1, right_hand_sides};
  const int threads_per_site = std::min(right_hand_sides, 4);
  return {std::max(warp, largest_team / threads_per_site / warp * warp), threads_per_site, 1};
}

std::vector<LaunchShape> launch_shapes(const Execution& execution, int sites, int right_hand_sides) {
  std::vector<LaunchShape> shapes =
      on_device ? device_shapes(right_hand_sides) : host_shapes(sites, right_hand_sides, execution.concurrency());
  const LaunchShape standard = standard_shape(right_hand_sides);
  std::erase(shapes, standard);
  shapes.insert(shapes.begin(), standard);
  return shapes;
}

}  // namespace kaon::detail
