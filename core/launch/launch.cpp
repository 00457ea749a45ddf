// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch/launch.hpp"

#include <algorithm>
#include <atomic>

namespace kaon::detail {
namespace {

constexpr int warp = 32;

/// Teams of whole warps with up to `largest_site_team` threads, which share links if they have threads for several
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
        if (team % warp != 0 || team > largest_site_team || idles) continue;
        shapes.push_back({sites, false, threads, sequence});
        if (sites >= 2 * warp) shapes.push_back({sites, true, threads, sequence});
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
    for (const int blocks : {16, 128}) {
      if (2 * blocks <= share) shapes.push_back({blocks, false, 1, together});
    }
    shapes.push_back({share, false, 1, together});
  }
  return shapes;
}

/// Sites of a tile: so many that the launch of a team (0.15 microseconds) does not show, in tiles that divide what a
/// thread works on.
int host_tile(int threads, int sites) {
  constexpr int enough = SiteSums::part;
  const int share = std::max(1, (sites + threads - 1) / threads);
  const int tiles = (share + enough - 1) / enough;
  constexpr int many = 16;  // of which one more or less does not matter
  return tiles >= many ? enough : (share + tiles - 1) / tiles;
}

}  // namespace

SiteBox::SiteBox(const SubLattice& node, int sites) {
  const int half_x = node.extent[0] / 2;
  if (sites % half_x != 0) return;
  int rows = sites / half_x;
  // The direction in which the box is shortest is doubled next.
  int extent[3] = {1, 1, 1};
  while (rows % 2 == 0) {
    int shortest = -1;
    for (int mu = 1; mu < 4; ++mu) {
      if (node.extent[mu] % (2 * extent[mu - 1]) != 0) continue;
      if (shortest < 0 || extent[mu - 1] < extent[shortest]) shortest = mu - 1;
    }
    if (shortest < 0) return;
    extent[shortest] *= 2;
    rows /= 2;
  }
  if (rows != 1) return;
  for (int k = 0; k < 3; ++k) {
    inside[k] = Divisor(extent[k]);
    boxes[k] = Divisor(node.extent[k + 1] / extent[k]);
    size[k] = extent[k];
  }
  usable = true;
}

TileOrder::TileOrder(const SubLattice& node, const SiteBox& box, const LaunchShape& shape, int tiles) : tiles(tiles) {
  const int times = box.usable ? node.extent[3] / box.size[2] : node.extent[3];
  const bool whole_slices = box.usable || node.stride[3] % shape.sites == 0;
  if (shape.columns <= 1 || !whole_slices || tiles % times != 0 || tiles / times % shape.columns != 0) return;
  in_columns = true;
  slice = tiles / times;
  by_width = Divisor(slice / shape.columns);
  by_times = Divisor(times);
}

std::vector<LaunchShape> tile_orders(const LaunchShape& shape, const SubLattice& node, bool can_keep) {
  // Blocks of W sites in a time slice, of some ten kilobytes each: fewer of them remain in a host's caches as they are.
  constexpr int smallest_host_slice = 256;
  if (!on_device && node.stride[3] < smallest_host_slice) return {shape};
  const SiteBox box = shape.box ? SiteBox(node, shape.sites) : SiteBox();
  const int tiles = tiles_of(node.half_volume, shape);
  std::vector<LaunchShape> orders;
  for (const bool keep : {false, true}) {
    if (keep && !can_keep) break;
    for (const int columns : {1, 2, 3, 4, 6, 8, 16}) {
      LaunchShape order = shape;
      order.columns = columns;
      order.keep_links = keep;
      if (columns > 1 && !TileOrder(node, box, order, tiles).in_columns) continue;
      orders.push_back(order);
    }
  }
  return orders;
}

std::vector<LaunchShape> memory_ways(const LaunchShape& shape, std::ptrdiff_t volume) {
  // Kernels on fewer sites take microseconds: how they reach memory is not worth the trials.
  constexpr std::ptrdiff_t enough_sites = 4096;
  if (volume < enough_sites) return {shape};
  LaunchShape foreseen = shape;  // by the processor
  foreseen.prefetch = 0;
  LaunchShape cached = foreseen;
  cached.stream = false;
  if (shape.right_hand_sides == 1) return {shape, foreseen, cached};
  LaunchShape next = shape;
  next.prefetch = -1;  // the vectors of the next right-hand side on the same sites
  return {shape, next, foreseen, cached};
}

bool alternate_direction(bool can_reverse) {
  static std::atomic<bool> reversed = false;
  const bool next = on_device && can_reverse && !reversed.load(std::memory_order_relaxed);
  reversed.store(next, std::memory_order_relaxed);
  return next;
}

LaunchShape standard_shape(const Execution& execution, int sites, int right_hand_sides) {
  return standard_shape(execution.concurrency(), sites, right_hand_sides);
}
LaunchShape standard_shape(int threads, int sites, int right_hand_sides) {
  if (!on_device) return {host_tile(threads, sites), false, 1, right_hand_sides};
  const int threads_per_site = std::min(right_hand_sides, 4);
  return {std::max(warp, largest_site_team / threads_per_site / warp * warp), false, threads_per_site, 1};
}

namespace {

std::vector<LaunchShape> shapes_for(int threads, int sites, int right_hand_sides) {
  std::vector<LaunchShape> shapes =
      on_device ? device_shapes(right_hand_sides) : host_shapes(sites, right_hand_sides, threads);
  const LaunchShape standard = standard_shape(threads, sites, right_hand_sides);
  std::erase(shapes, standard);
  shapes.insert(shapes.begin(), standard);
  return shapes;
}

}  // namespace

LaunchShape with_whole_parts(LaunchShape shape) {
  shape.sites = (shape.sites + SiteSums::part - 1) / SiteSums::part * SiteSums::part;
  return shape;
}

std::vector<LaunchShape> with_whole_parts(const std::vector<LaunchShape>& shapes, const SubLattice& node) {
  std::vector<LaunchShape> result;
  for (const LaunchShape& shape : shapes) {
    if (on_device && shape.sites % SiteSums::part != 0) continue;
    if (shape.box) {
      // The rows of a part must follow each other in y, within the box.
      const SiteBox box(node, shape.sites);
      if (box.usable && box.size[0] * (node.extent[0] / 2) % SiteSums::part != 0) continue;
    }
    const LaunchShape whole = with_whole_parts(shape);
    if (std::find(result.begin(), result.end(), whole) == result.end()) result.push_back(whole);
  }
  return result;
}

std::vector<LaunchShape> launch_shapes(const Execution& execution, int sites, int right_hand_sides) {
  return shapes_for(execution.concurrency(), sites, right_hand_sides);
}

std::vector<LaunchShape> launch_shapes(const Lattice& lattice, int sites, int right_hand_sides) {
  const double threads = lattice.communicator().maximum(lattice.execution().concurrency());
  return shapes_for(static_cast<int>(threads), sites, right_hand_sides);
}

}  // namespace kaon::detail
