// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/site_tile.hpp"

#include <kaon/core/lattice.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace kaon::detail {

/// Teams that start before the teams at the edges, which wait for halos. The halos arrive while these teams run.
inline constexpr int teams_before_edges = 1024;

/// The shape that is used without tuning.
///
/// On the device a team takes 128 sites with one right-hand side, or fewer sites with as many right-hand sides as make
/// up for it, which then share their links through the L1 cache. On the host a thread takes some sites (blocks of W),
/// in sequence with all right-hand sides, so that links are read from memory once.
LaunchShape standard_shape(const Execution& execution, int sites, int right_hand_sides);
/// Shapes for so many threads of a host.
LaunchShape standard_shape(int threads, int sites, int right_hand_sides);

/// Shapes that tuning tries, the standard first.
std::vector<LaunchShape> launch_shapes(const Execution& execution, int sites, int right_hand_sides);
/// One list for all processes of a lattice, which may have different numbers of threads. Collective.
std::vector<LaunchShape> launch_shapes(const Lattice& lattice, int sites, int right_hand_sides);

/// Whether a kernel is to visit its sites in falling order, which it does if it can: opposite to the
/// one before, so that it starts with what that has left in the cache. Never on hosts, whose threads have fixed sites.
bool alternate_direction(bool can_reverse = true);

/// `shape`, or the nearest one in which a thread or warp works on whole parts of `SiteSums`.
LaunchShape with_whole_parts(LaunchShape shape);
/// Leaves those shapes in which threads or warps work on whole parts of `SiteSums`, and the first one.
std::vector<LaunchShape> with_whole_parts(const std::vector<LaunchShape>& shapes, const SubLattice& node);

/// Runs `kernel(index, first, last)` for the sites [0, `sites`) of a parity and all right-hand sides. With `several`
/// false, shapes on the device are those with one right-hand side to a thread.
template <bool several, class Kernel>
void launch_sites(const std::string& label, const Execution& execution, const LaunchShape& shape, int sites,
                  int right_hand_sides, const Kernel& kernel) {
  const int tiles = tiles_of(sites, shape);
  SiteBox box;
  TileOrder order;
  order.tiles = tiles;
  if constexpr (OnSubLattice<Kernel>) {
    if (on_device && shape.box) box = SiteBox(kernel.node, shape.sites);
    order = TileOrder(kernel.node, box, shape, tiles);
  }
  const int together = shape.threads_per_site * shape.right_hand_sides;
  const int groups = (right_hand_sides + together - 1) / together;
  int team_size = shape.sites * shape.threads_per_site;
  if constexpr (Summing<Kernel> && !teams_have_warps) {
    if (kernel.sums.wanted()) team_size = std::min(team_size, SiteSums::part);
  }
  int prologue_teams = 0, before_edges = 0;
  if constexpr (HasPrologue<Kernel>) {
    prologue_teams = (kernel.prologue_items + team_size - 1) / team_size;
    before_edges = kernel.tiles_inside;
    if (!shape.edges_last) before_edges = std::min(before_edges, teams_before_edges / groups);
  }
  const bool reversed = alternate_direction();
  const auto launch = [&]<bool takes_several, class Which>(std::bool_constant<takes_several>, const Which& which,
                                                           int taken) {
    SiteTile<Which, takes_several> tile{
        which, sites, right_hand_sides, shape.threads_per_site, taken,       Divisor(shape.sites), Divisor(groups),
        box,   order, reversed,         prologue_teams,         before_edges};
    if constexpr (HasMemoryWay<Which>) {
      tile.kernel.prefetch = shape.prefetch;
      tile.kernel.stream = shape.stream;
    }
    launch_teams(label, execution, prologue_teams + tiles * groups, team_size, tile);
  };
  if constexpr (several || !on_device) {
    if (!on_device || shape.right_hand_sides > 1) return launch(std::true_type{}, kernel, shape.right_hand_sides);
  }
  if constexpr (on_device) {
    if constexpr (HasCachedLinks<Kernel>) {
      if (shape.keep_links) return launch(std::false_type{}, kernel.with_cached_links(), 1);
    }
    launch(std::false_type{}, kernel, 1);
  }
}

/// Runs `kernel(index, first, last)` for the sites [0, `sites`) of a parity and all right-hand sides, in the standard
/// shape.
template <class Kernel>
void for_each_site(const char* label, const Execution& execution, int sites, int right_hand_sides,
                   const Kernel& kernel) {
  launch_sites<false>(label, execution, standard_shape(execution, sites, right_hand_sides), sites, right_hand_sides,
                      kernel);
}

/// The shape of `kernel` without tuning.
template <class Kernel>
LaunchShape standard_shape_of(const TuningKey& key, const Lattice& lattice, int sites, const Kernel& kernel) {
  const LaunchShape standard = standard_shape(lattice.execution(), sites, key.right_hand_sides);
  if constexpr (Summing<Kernel>) {
    if (kernel.sums.wanted()) return with_whole_parts(standard);
  }
  return standard;
}

/// The shapes in which `kernel` can be launched, their orders of tiles and, on hosts, their ways to memory. Stage 0 is
/// collective.
template <class Kernel>
std::vector<LaunchShape> shapes_of(int stage, const LaunchShape& best, const TuningKey& key, const Lattice& lattice,
                                   int sites, const Kernel& kernel) {
  if (stage == 0) {
    std::vector<LaunchShape> shapes = launch_shapes(lattice, sites, key.right_hand_sides);
    if constexpr (Summing<Kernel>) {
      if (kernel.sums.wanted()) shapes = with_whole_parts(shapes, kernel.node);
    }
    return shapes;
  }
  if constexpr (OnSubLattice<Kernel>) {
    if (stage == 1) return tile_orders(best, kernel.node, HasCachedLinks<Kernel> && best.right_hand_sides == 1);
  }
  if constexpr (HasMemoryWay<Kernel>) {
    if (stage == 2) return memory_ways(best, volume_of(key.extents));
  }
  return {};
}

/// Runs `kernel` in a shape that is tuned for `key`.
template <class Kernel>
void for_each_site(const TuningKey& key, const Lattice& lattice, int sites, const Kernel& kernel) {
  const TunedLaunch tuned(
      key, lattice, [&] { return standard_shape_of(key, lattice, sites, kernel); },
      [&](int stage, const LaunchShape& best) { return shapes_of(stage, best, key, lattice, sites, kernel); });
  launch_sites<true>(std::string(key.kernel), lattice.execution(), tuned.shape(), sites, key.right_hand_sides, kernel);
}

}  // namespace kaon::detail
