// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lattice/geometry.hpp"
#include "core/reductions/site_sums.hpp"
#include "core/tuning/tuning.hpp"

#include <concepts>
#include <type_traits>
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

/// Threads of the largest team that works on sites.
inline constexpr int largest_site_team = 128;

/// Kernels on the sites of a sub-lattice, which may be visited in boxes.
template <class Kernel>
concept OnSubLattice = requires(const Kernel& kernel) {
  { kernel.node } -> std::convertible_to<SubLattice>;
};

/// Kernels whose first teams do something else, where teams have warps: `kernel.prologue(team, teams)`, for
/// `kernel.prologue_items` threads in all; that take tiles in an `order`, unless that is null; and of which
/// `kernel.for_tile(at_edges)` is called, with false for the first `tiles_inside` of them.
template <class Kernel>
concept HasPrologue = teams_have_warps && requires(const Kernel& kernel) {
  { kernel.prologue_items } -> std::convertible_to<int>;
  { kernel.order } -> std::convertible_to<const int*>;
  { kernel.tiles_inside } -> std::convertible_to<int>;
  kernel.for_tile(true);
};

/// Kernels that can leave links in a device's second cache: `kernel.with_cached_links()` is one that does.
template <class Kernel>
concept HasCachedLinks = requires(const Kernel& kernel) {
  kernel.with_cached_links();
};

/// How a host's kernel reaches memory (`LaunchShape`). A GPU's has no choice.
struct HostMemoryWay {
  int prefetch = 1;
  bool stream = true;
};
struct DeviceMemoryWay {
  static constexpr int prefetch = 0;
  static constexpr bool stream = true;
};
using MemoryWay = std::conditional_t<on_device, DeviceMemoryWay, HostMemoryWay>;
/// Kernels that have one.
template <class Kernel>
concept HasMemoryWay = !on_device && std::derived_from<Kernel, MemoryWay>;

/// Kernels that make sums over sites beside their work, where `kernel.sums` wants them: their call has a collector of
/// sums as its last argument.
template <class Kernel>
concept Summing = OnSubLattice<Kernel> && requires(const Kernel& kernel) {
  typename Kernel::Value;
  { kernel.sums } -> std::convertible_to<SiteSums>;
};

/// Number of teams that share the 65536 registers of a multiprocessor: as many as the kernel requests, otherwise
/// three, with 168 registers a thread. The hop needs that many registers for its pending loads.
template <class Kernel, bool several>
constexpr unsigned teams_on_multiprocessor() {
  if constexpr (requires { Kernel::template min_teams<several>; }) {
    return Kernel::template min_teams<several>;
  } else {
    return 3;
  }
}

/// Kernel of teams with the body `kernel(index, first, last)`, and a collector of sums for kernels that are `Summing`:
/// one site of a parity (a block of W on the host), right-hand sides [first, last). A team works on a tile of sites
/// with a group of right-hand sides; an item is a site with `taken` of these, or with one unless `several`. Then
/// GPUs call `kernel.in_groups(index, first, last)` if there is such a function.
template <class Kernel, bool several>
struct SiteTile {
  static constexpr int max_team_size = largest_site_team;
  static constexpr unsigned min_teams = teams_on_multiprocessor<Kernel, several>();
  Kernel kernel;
  int sites;  // of one parity, in each lane
  int right_hand_sides;
  int threads_per_site;
  int taken;                    // right-hand sides of an item
  Divisor by_sites, by_groups;  // of a tile; teams that share sites
  SiteBox box;
  TileOrder order;
  bool reversed;           // tiles are used in falling order, except for those at edges
  int prologue_teams = 0;  // that work on something else
  int before_edges = 0;    // tiles

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    int number = team.league_rank();
    if constexpr (HasPrologue<Kernel>) {
      if (number < prologue_teams) return kernel.prologue(team, prologue_teams);
      number -= prologue_teams;
    }
    int group;
    int place = by_groups.divide(number, group);
    if constexpr (HasPrologue<Kernel>) {
      const int inside = kernel.tiles_inside;
      const int at_edges = order.tiles - inside;
      const bool is_at_edges = place >= before_edges && place < before_edges + at_edges;
      if (is_at_edges) {
        place += inside - before_edges;
      } else {
        if (place >= before_edges) place -= at_edges;
        if (reversed) place = inside - 1 - place;
      }
      const int tile = kernel.order != nullptr ? kernel.order[place] : order.tile(place);
      if constexpr (Kernel::edges_apart) {
        if (is_at_edges) {
          work(team, kernel.for_tile(std::true_type{}), tile, group);
        } else {
          work(team, kernel.for_tile(std::false_type{}), tile, group);
        }
      } else {
        work(team, kernel.for_tile(is_at_edges), tile, group);
      }
    } else {
      if (reversed) place = order.tiles - 1 - place;
      work(team, kernel, order.tile(place), group);
    }
  }

 private:
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void work(const Team& team, const Work& at_site, int tile, int group) const {
    if constexpr (Summing<Kernel> && !teams_have_warps) {
      if (kernel.sums.wanted()) return work_by_parts(team, at_site, tile, group);
    }
    for_each_item(team, by_sites.divisor() * threads_per_site, [&](const int item) {
      int rank, first, last;
      const int thread = by_sites.divide(item, rank);
      find_right_hand_sides(group * threads_per_site + thread, first, last);
      const int index = site_index(tile, rank);
      if constexpr (!Summing<Kernel>) {
        if (index < sites) run(at_site, index, first, last);
      } else if constexpr (teams_have_warps) {
        // Warps make sums together, also those with threads that have no site.
        const WarpSums<typename Kernel::Value> sums{kernel.sums, index, index < sites};
        if (!sums.present && !sums.wanted()) return;
        run(at_site, sums.present ? index : sites - 1, first, last, sums);
      } else {
        const NoSums none{true};
        if (index < sites) run(at_site, index, first, last, none);
      }
    });
  }

  /// With sums: the team shares the sites of a part, for as many right-hand sides as can be collected at once.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void work_by_parts(const Team& team, const Work& at_site, int tile, int group) const {
    PartSums<typename Kernel::Value> sums(kernel.sums);
    for (int thread = 0; thread < threads_per_site; ++thread) {
      int begin, end;
      find_right_hand_sides(group * threads_per_site + thread, begin, end);
      for (int first = begin; first < end; first += sums.most) {
        const int last = first + sums.most < end ? first + sums.most : end;
        for (int part = 0; part < by_sites.divisor(); part += SiteSums::part) {
          const int number = site_index(tile, part) / SiteSums::part;
          if (number >= kernel.sums.parts) break;
          sums.begin(first, last);
          for_each_item(team, SiteSums::part, [&](const int rank) {
            const int index = site_index(tile, part + rank);
            if (index < sites) run(at_site, index, first, last, sums);
          });
          sums.end(team, number);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void find_right_hand_sides(int number, int& first, int& last) const {
    first = several ? number * taken : number;
    const int end = several ? first + taken : first + 1;
    last = end < right_hand_sides ? end : right_hand_sides;
  }
  KOKKOS_FORCEINLINE_FUNCTION int site_index(int tile, int rank) const {
    if constexpr (OnSubLattice<Kernel>) {
      if (box.usable) return box.index(kernel.node, tile, rank);
    }
    return tile * by_sites.divisor() + rank;
  }

  template <class Work, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION static void run(const Work& at_site, int index, int first, int last, Sums&... sums) {
    if constexpr (!several) {
      // One that the compiler knows to be one: a loop costs hops in half precision 15 %.
      if (first < last) at_site(index, first, first + 1, sums...);
    } else if constexpr (on_device && requires { at_site.in_groups(index, first, last, sums...); }) {
      at_site.in_groups(index, first, last, sums...);
    } else {
      at_site(index, first, last, sums...);
    }
  }
};

}  // namespace kaon::detail
