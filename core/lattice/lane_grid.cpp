// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/lane_grid.hpp"

#include <cstddef>

namespace kaon::detail {
namespace {

constexpr std::size_t no_direction = 4;

/// The direction to cut in two: the longest `allowed` one whose halves remain even and wider than `reach`. For equal
/// extents it is the later direction, because neighbours in x share cache lines.
std::size_t longest_divisible(const Coordinates& extents, const Directions& allowed, int reach) {
  std::size_t best = no_direction;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!allowed[mu] || extents[mu] % 4 != 0 || extents[mu] / 2 <= reach) continue;
    if (best == no_direction || extents[mu] >= extents[best]) best = mu;
  }
  return best;
}

}  // namespace

Coordinates choose_lane_grid(const Coordinates& local_extents, const Directions& partitioned, int count, int reach) {
  Coordinates grid{1, 1, 1, 1};
  Coordinates extents = local_extents;
  Directions whole{};
  for (std::size_t mu = 0; mu < 4; ++mu) whole[mu] = !partitioned[mu];
  for (int lanes = 1; lanes < count; lanes *= 2) {
    std::size_t mu = longest_divisible(extents, whole, reach);
    if (mu == no_direction) mu = longest_divisible(extents, partitioned, reach);
    if (mu == no_direction) return {1, 1, 1, 1};
    extents[mu] /= 2;
    grid[mu] *= 2;
  }
  return grid;
}

}  // namespace kaon::detail
