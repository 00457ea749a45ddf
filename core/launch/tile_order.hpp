// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/geometry.hpp"
#include "core/tuning/tuning.hpp"

#include <string_view>
#include <vector>

namespace kaon::detail {

/// Sites of one parity of a sub-lattice in boxes of whole rows in x: neighbours of a box's sites are in the box more
/// often than those of as many consecutive sites.
struct SiteBox {
  bool usable = false;
  Divisor inside[3], boxes[3];  ///< by the extents of a box in y, z and t; by the numbers of boxes
  int size[3] = {1, 1, 1};

  SiteBox() = default;
  /// Boxes of `sites` sites; not `usable` where the extents do not allow them.
  SiteBox(const SubLattice& node, int sites);

  /// Checkerboard index of site number `rank` of box number `number`.
  KOKKOS_FORCEINLINE_FUNCTION int index(const SubLattice& node, int number, int rank) const {
    int x, row[3], box[3];
    int rest = node.by_half_x.divide(rank, x);
    rest = inside[0].divide(rest, row[0]);
    row[2] = inside[1].divide(rest, row[1]);
    rest = boxes[0].divide(number, box[0]);
    box[2] = boxes[1].divide(rest, box[1]);
    return x + (box[0] * size[0] + row[0]) * node.stride[1] + (box[1] * size[1] + row[1]) * node.stride[2] +
           (box[2] * size[2] + row[2]) * node.stride[3];
  }
};

/// Tiles that `sites` sites are divided among.
inline int tiles_of(int sites, const LaunchShape& shape) { return (sites + shape.sites - 1) / shape.sites; }

/// The order in which tiles are used: in sequence, or in `columns`, each of which is a part of all time
/// slices, so that what neighbours in time share is still in a device's second cache, or a host's last.
struct TileOrder {
  int tiles = 0;
  bool in_columns = false;
  Divisor by_width, by_times;  ///< tiles of a column in a time slice; time slices
  int slice = 0;               ///< tiles

  TileOrder() = default;
  /// Order of `tiles` tiles of `shape`; in one column where the lattice cannot be cut in as many.
  TileOrder(const SubLattice& node, const SiteBox& box, const LaunchShape& shape, int tiles);

  KOKKOS_FORCEINLINE_FUNCTION int tile(int place) const {
    if (!in_columns) return place;
    int along, time;
    const int column = by_times.divide(by_width.divide(place, along), time);
    return time * slice + column * by_width.divisor() + along;
  }
};

/// `shape` as it is, and with tiles in other orders and links left in the cache, where a kernel can: what tuning tries
/// when it has found the shape.
std::vector<LaunchShape> tile_orders(const LaunchShape& shape, const SubLattice& node, bool can_keep);
/// `shape` in the ways in which a host's kernel can reach memory: what tuning tries last. Unchanged on a lattice of few
/// sites.
std::vector<LaunchShape> memory_ways(const LaunchShape& shape, std::ptrdiff_t volume);
/// Label under which a choice is tuned: `kernel`, ", " and `choice`. Lives as long as the program.
std::string_view choice_label(std::string_view kernel, std::string_view choice);

}  // namespace kaon::detail
