// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/process_grid.hpp"

#include "core/lanes/lanes.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

namespace kaon {
namespace detail {
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

namespace {

/// Whether local extents are whole numbers, and even except in the directions of `odd_allowed`.
bool cuts_evenly(const Coordinates& grid, const Coordinates& extents, const Directions& odd_allowed = {}) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int unit = odd_allowed[mu] ? 1 : 2;
    if (grid[mu] < 1 || extents[mu] % unit != 0 || extents[mu] / unit % grid[mu] != 0) return false;
  }
  return true;
}

/// Whether local lattices are wider than `reach`.
bool leaves_reach(const Coordinates& grid, const Coordinates& extents, int reach) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (extents[mu] / grid[mu] <= reach) return false;
  }
  return true;
}

/// Cost of a grid, in lexicographic order: surface of a process in sites, loss of lanes, partitioned directions.
using GridCost = std::tuple<std::ptrdiff_t, bool, int, Coordinates>;

GridCost grid_cost(const Coordinates& grid, const Coordinates& extents, int reach) {
  Coordinates local{};
  Directions partitioned{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    local[mu] = extents[mu] / grid[mu];
    partitioned[mu] = grid[mu] > 1;
  }
  std::ptrdiff_t surface = 0;
  int directions = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!partitioned[mu]) continue;
    surface += volume_of(local) / local[mu];
    ++directions;
  }
  constexpr int lanes = native_lanes<float>;
  const bool loses_lanes = volume_of(choose_lane_grid(local, partitioned, lanes, reach)) < lanes;
  return {surface, loses_lanes, directions, grid};
}

}  // namespace

void require_extents(const Coordinates& extents, bool coarse) {
  for (const int extent : extents) {
    require(coarse ? extent >= 1 : extent >= 2 && extent % 2 == 0, [&] {
      return fmt::format("lattice extents {} are not usable: each must be {}", to_string(extents),
                         coarse ? "at least 1" : "even and at least 2");
    });
  }
  // Counters of random numbers have 40 bits for the site (`RandomSequence`): beyond, sites would share numbers.
  constexpr std::ptrdiff_t most_sites = std::ptrdiff_t{1} << 40;
  std::ptrdiff_t room = most_sites;
  for (const int extent : extents) room /= extent;
  require(room > 0, [&] { return fmt::format("lattice {} has more than 2^40 sites", to_string(extents)); });
}

void require_process_grid(const Coordinates& grid, const Coordinates& extents, const Directions& partitioned,
                          bool coarse) {
  Directions odd_allowed{};
  for (std::size_t mu = 0; mu < 4; ++mu) odd_allowed[mu] = coarse && !partitioned[mu];
  require(cuts_evenly(grid, extents, odd_allowed), [&] {
    return fmt::format("process grid {} does not cut lattice {} into even local extents{}", to_string(grid),
                       to_string(extents), coarse ? " in partitioned directions" : "");
  });
}

void require_ranks(const std::vector<int>& ranks, int processes) {
  if (ranks.empty()) return;
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = sorted.size() == static_cast<std::size_t>(processes);
  for (std::size_t k = 0; k < sorted.size(); ++k) each_once = each_once && sorted[k] == static_cast<int>(k);
  require(each_once, [&] {
    return fmt::format("ranks [{}] of a process grid must be 0 to {}, each once", fmt::join(ranks, ", "),
                       processes - 1);
  });
}

Coordinates coordinates_of(int rank, const std::vector<int>& ranks, const Coordinates& grid) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return lexicographic_site(ranks.empty() ? rank : found - ranks.begin(), grid);
}

}  // namespace detail

Coordinates choose_process_grid(const Coordinates& extents, int processes, int reach) {
  detail::require_extents(extents, false);
  require(processes >= 1, [&] { return fmt::format("a process grid needs at least one process, not {}", processes); });
  std::optional<detail::GridCost> best;
  const auto divides = [](int part, int whole) { return whole % part == 0; };
  for (int x = 1; x <= processes; ++x) {
    if (!divides(x, processes)) continue;
    for (int y = 1; y <= processes / x; ++y) {
      if (!divides(y, processes / x)) continue;
      for (int z = 1; z <= processes / x / y; ++z) {
        if (!divides(z, processes / x / y)) continue;
        const Coordinates grid{x, y, z, processes / x / y / z};
        if (!detail::cuts_evenly(grid, extents) || !detail::leaves_reach(grid, extents, reach)) continue;
        const detail::GridCost cost = detail::grid_cost(grid, extents, reach);
        if (!best || cost < *best) best = cost;
      }
    }
  }
  require(best.has_value(), [&] {
    return fmt::format(
        "no grid of {} processes cuts lattice {} into equal local lattices of even extents{}: use "
        "another number of processes",
        processes, to_string(extents), reach > 1 ? fmt::format(" above {}", reach) : "");
  });
  return std::get<Coordinates>(*best);
}

}  // namespace kaon
