// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/launch_tile.hpp"
#include "core/lattice/geometry.hpp"
#include "core/reductions/site_sums.hpp"
#include "core/tuning/tuning.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace kaon::detail {

/// Threads of a team on the device.
inline constexpr int largest_team = 128;
/// Teams that begin before those that wait for neighbours: in their time halos should arrive.
inline constexpr int teams_before_edges = 1024;

/// The shape that is used without tuning.
///
/// On the device a team takes 128 sites with one right-hand side, or fewer sites with as many right-hand sides as make
/// up for it, which then share their links through the L1 cache. On the host a thread takes one site (a block of W)
/// after the other with all right-hand sides, so that links are read from memory once.
LaunchShape standard_shape(int right_hand_sides);

/// What tuning tries, the standard first.
std::vector<LaunchShape> launch_shapes(const Execution& execution, int sites, int right_hand_sides);
/// The same list on all processes of a lattice, which may have different numbers of threads. Collective.
std::vector<LaunchShape> launch_shapes(const Lattice& lattice, int sites, int right_hand_sides);

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

/// Teams, or a host thread's turns, that `sites` sites are divided among.
inline int tiles_of(int sites, const LaunchShape& shape) { return (sites + shape.sites - 1) / shape.sites; }

/// The order in which tiles are taken: one after the other, or in `columns`, each of which is a part of all time
/// slices, so that what neighbours in time share is still in a device's second cache, or a host's last.
struct TileOrder {
  int tiles = 0;
  bool in_columns = false;
  Divisor by_width, by_times;  ///< tiles of a column in a time slice; time slices
  int slice = 0;               ///< tiles

  TileOrder() = default;
  /// Of `tiles` tiles of `shape`; in one column where the lattice cannot be cut in as many.
  TileOrder(const SubLattice& node, const SiteBox& box, const LaunchShape& shape, int tiles);

  KOKKOS_FORCEINLINE_FUNCTION int tile(int place) const {
    if (!in_columns) return place;
    int along, time;
    const int column = by_times.divide(by_width.divide(place, along), time);
    return time * slice + column * by_width.divisor() + along;
  }
};

/// Kernels on the sites of a sub-lattice, which may be taken in boxes.
template <class Kernel>
concept OnSubLattice = requires(const Kernel& kernel) {
  { kernel.node } -> std::convertible_to<SubLattice>;
};

/// Kernels whose first teams do something else: `kernel.begin(team, thread, teams)`, for `kernel.first_work` threads in
/// all (device); that take tiles in an `order`, unless that is null; and of which `kernel.on_tile(at_edges)` is called,
/// with false for the first `tiles_inside` of them.
template <class Kernel>
concept Beginning = requires(const Kernel& kernel) {
  { kernel.first_work } -> std::convertible_to<int>;
  { kernel.order } -> std::convertible_to<const int*>;
  { kernel.tiles_inside } -> std::convertible_to<int>;
  kernel.on_tile(true);
};

/// Kernels that can leave what they read once in a device's second cache: `kernel.keeping()` is one that does.
template <class Kernel>
concept Keeping = requires(const Kernel& kernel) {
  kernel.keeping();
};

/// Whether a kernel is to take its sites in falling order, which it does if it can: each goes the other way than the
/// one before, so that it begins with what that has left in the cache.
bool turn_around(bool can_fall = true);

/// Kernels that make sums over sites beside their work, where `kernel.sums` wants them: their call has a collector of
/// sums as its last argument.
template <class Kernel>
concept Summing = OnSubLattice<Kernel> && requires(const Kernel& kernel) {
  typename Kernel::Value;
  { kernel.sums } -> std::convertible_to<SiteSums>;
};

/// `shape` as it is, and with tiles in other orders and links kept in the cache, where a kernel can: what tuning tries
/// when it has found the shape.
std::vector<LaunchShape> tile_orders(const LaunchShape& shape, const SubLattice& node, bool can_keep);
/// What these are tuned for: `kernel` and ", order". Lives as long as the program.
std::string_view order_label(std::string_view kernel);

/// `shape`, or the nearest one in which a thread or warp works on whole parts of `SiteSums`.
LaunchShape with_whole_parts(LaunchShape shape);
/// Leaves those shapes in which threads or warps work on whole parts of `SiteSums`, and the first one.
std::vector<LaunchShape> with_whole_parts(const std::vector<LaunchShape>& shapes, const SubLattice& node);

/// Teams that share a multiprocessor, and with it 65536 registers: what a kernel asks for, or three, which leave 168
/// registers a thread. The hop needs as many to have many loads under way.
template <class Kernel, bool several>
constexpr unsigned teams_together() {
  if constexpr (requires { Kernel::template teams_together<several>; }) {
    return Kernel::template teams_together<several>;
  } else {
    return 3;
  }
}

/// Kernel body with the call `kernel(index, first, last)`, and a collector of sums for kernels that are `Summing`: one
/// site of a parity (a block of W on the host), right-hand sides [first, last). `several`: a thread takes more than one
/// right-hand side, by `kernel.in_groups(index, first, last)` if there is such a function.
template <class Kernel, bool several>
struct SiteTile {
  static constexpr int largest_team = detail::largest_team;
  static constexpr unsigned teams_together = detail::teams_together<Kernel, several>();
  Kernel kernel;
  int sites;  // of one parity, in each lane
  int right_hand_sides;
  int threads_per_site;
  int taken;                    // right-hand sides of a thread
  Divisor by_sites, by_groups;  // of a team; teams that share sites
  SiteBox box;
  TileOrder order;
  bool falling;          // tiles are taken in falling order, but for those at edges
  int first_teams = 0;   // that work on something else
  int before_edges = 0;  // tiles

  KOKKOS_FUNCTION void operator()(int team, const int thread_of_team) const {
    if constexpr (Beginning<Kernel>) {
      if (team < first_teams) return kernel.begin(team, thread_of_team, first_teams);
      team -= first_teams;
    }
    int group;
    int place = by_groups.divide(team, group);
    if constexpr (Beginning<Kernel>) {
      const int inside = kernel.tiles_inside;
      const int at_edges = order.tiles - inside;
      const bool is_at_edges = place >= before_edges && place < before_edges + at_edges;
      if (is_at_edges) {
        place += inside - before_edges;
      } else {
        if (place >= before_edges) place -= at_edges;
        if (falling) place = inside - 1 - place;
      }
      const int tile = kernel.order != nullptr ? kernel.order[place] : order.tile(place);
      if constexpr (Kernel::edges_apart) {
        if (is_at_edges) {
          work(kernel.on_tile(std::true_type{}), tile, group, thread_of_team);
        } else {
          work(kernel.on_tile(std::false_type{}), tile, group, thread_of_team);
        }
      } else {
        work(kernel.on_tile(is_at_edges), tile, group, thread_of_team);
      }
    } else {
      if (falling) place = order.tiles - 1 - place;
      work(kernel, order.tile(place), group, thread_of_team);
    }
  }

 private:
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void work(const Work& at_site, int tile, int group, int thread_of_team) const {
    int rank;
    const int turn = by_sites.divide(thread_of_team, rank);
    int index = tile * by_sites.divisor() + rank;
    if constexpr (OnSubLattice<Kernel>) {
      if (box.usable) index = box.index(kernel.node, tile, rank);
    }
    const int thread = group * threads_per_site + turn;
    const int first = several ? thread * taken : thread;
    const int end = several ? first + taken : first + 1;
    const int last = end < right_hand_sides ? end : right_hand_sides;
    if constexpr (Summing<Kernel>) {
      // Warps make sums together, also those with threads that have no site.
      const WarpSums<typename Kernel::Value> sums{kernel.sums, index, index < sites};
      if (!sums.present && !sums.wanted()) return;
      run(at_site, sums.present ? index : sites - 1, first, last, sums);
    } else {
      if (index < sites) run(at_site, index, first, last);
    }
  }

  template <class Work, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION static void run(const Work& at_site, int index, int first, int last,
                                              const Sums&... sums) {
    if constexpr (!several) {
      // One that the compiler knows to be one: a loop costs hops in half precision 15 %.
      if (first < last) at_site(index, first, first + 1, sums...);
    } else if constexpr (requires { at_site.in_groups(index, first, last, sums...); }) {
      at_site.in_groups(index, first, last, sums...);
    } else {
      at_site(index, first, last, sums...);
    }
  }
};

/// Some consecutive sites (blocks of W), for some right-hand sides after the others.
template <class Kernel>
struct HostTile {
  Kernel kernel;
  int sites;
  int right_hand_sides;
  LaunchShape shape;
  TileOrder order;

  KOKKOS_FUNCTION void operator()(const int place) const {
    const int begin = order.tile(place) * shape.sites;
    const int end = std::min(begin + shape.sites, sites);
    if constexpr (Summing<Kernel>) {
      if (kernel.sums.wanted()) return run_with_sums(begin, end);
      run(begin, end, shape.right_hand_sides, NoSums{true});
    } else {
      run(begin, end, shape.right_hand_sides);
    }
  }

 private:
  template <class... Sums>
  void run(int begin, int end, int together, const Sums&... sums) const {
    for (int first = 0; first < right_hand_sides; first += together) {
      const int last = std::min(first + together, right_hand_sides);
      for (int index = begin; index < end; ++index) kernel(index, first, last, sums...);
    }
  }
  void run_with_sums(int begin, int end) const {
    PartSums<typename Kernel::Value> sums(kernel.sums);
    const int together = std::min(shape.right_hand_sides, sums.most);
    for (int first = 0; first < right_hand_sides; first += together) {
      const int last = std::min(first + together, right_hand_sides);
      for (int part = begin; part < end; part += SiteSums::part) {
        sums.begin(first, last);
        for (int index = part; index < std::min(part + SiteSums::part, end); ++index) kernel(index, first, last, sums);
        sums.end(part / SiteSums::part);
      }
    }
  }
};

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
  if constexpr (on_device) {
    const int together = shape.threads_per_site * shape.right_hand_sides;
    const int groups = (right_hand_sides + together - 1) / together;
    const int team_size = shape.sites * shape.threads_per_site;
    int first_teams = 0, before_edges = 0;
    if constexpr (Beginning<Kernel>) {
      first_teams = (kernel.first_work + team_size - 1) / team_size;
      before_edges = kernel.tiles_inside;
      if (!shape.edges_last) before_edges = std::min(before_edges, teams_before_edges / groups);
    }
    const bool falling = turn_around();
    const auto launch = [&]<bool takes_several, class Which>(std::bool_constant<takes_several>, const Which& which,
                                                             int taken) {
      launch_tile(label, execution, first_teams + tiles * groups, team_size,
                  SiteTile<Which, takes_several>{which, sites, right_hand_sides, shape.threads_per_site, taken,
                                                 Divisor(shape.sites), Divisor(groups), box, order, falling,
                                                 first_teams, before_edges});
    };
    if constexpr (several) {
      if (shape.right_hand_sides > 1) return launch(std::true_type{}, kernel, shape.right_hand_sides);
    }
    if constexpr (Keeping<Kernel>) {
      if (shape.keep_links) return launch(std::false_type{}, kernel.keeping(), 1);
    }
    launch(std::false_type{}, kernel, 1);
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>>(execution, 0, tiles),
                         HostTile<Kernel>{kernel, sites, right_hand_sides, shape, order});
  }
}

/// Runs `kernel(index, first, last)` for the sites [0, `sites`) of a parity and all right-hand sides, in the standard
/// shape.
template <class Kernel>
void for_each_site(const char* label, const Execution& execution, int sites, int right_hand_sides,
                   const Kernel& kernel) {
  launch_sites<false>(label, execution, standard_shape(right_hand_sides), sites, right_hand_sides, kernel);
}

/// The shape in which this is fastest, which is found on first use for a `key`.
///
/// `rehearse(time)` must then call `time(rehearsal)` once with a kernel of the same type that costs the same and may
/// run any number of times: one whose output is not its input, and not `kernel`'s input either.
template <class Kernel, class Rehearse>
LaunchShape best_shape(const TuningKey& key, const Lattice& lattice, int sites, const Kernel& kernel,
                       const Rehearse& rehearse) {
  bool whole_parts = false;
  if constexpr (Summing<Kernel>) whole_parts = kernel.sums.wanted();
  Tuner& tuner = Tuner::instance();
  if (!tuner.is_on()) {
    const LaunchShape standard = standard_shape(key.right_hand_sides);
    return whole_parts ? with_whole_parts(standard) : standard;
  }
  if (const auto found = tuner.find(key)) return *found;
  std::vector<LaunchShape> shapes = launch_shapes(lattice, sites, key.right_hand_sides);
  if constexpr (Summing<Kernel>) {
    if (whole_parts) shapes = with_whole_parts(shapes, kernel.node);
  }
  const auto fastest_of = [&](const TuningKey& which, const std::vector<LaunchShape>& trials) {
    return tuner.choose(which, trials, lattice.communicator(), lattice.execution(),
                        [&](const std::function<void(const ShapedLaunch&)>& time) {
                          rehearse([&](const Kernel& rehearsal) {
                            time([&](const LaunchShape& trial) {
                              launch_sites<true>(std::string(key.kernel), lattice.execution(), trial, sites,
                                                 key.right_hand_sides, rehearsal);
                            });
                          });
                        });
  };
  const LaunchShape shape = fastest_of(key, shapes);
  if constexpr (OnSubLattice<Kernel>) {
    TuningKey order = key;
    order.kernel = order_label(key.kernel);
    const LaunchShape ordered =
        fastest_of(order, tile_orders(shape, kernel.node, Keeping<Kernel> && shape.right_hand_sides == 1));
    tuner.remember(key, ordered);
    return ordered;
  }
  return shape;
}

/// Runs `kernel` in that shape.
template <class Kernel, class Rehearse>
void for_each_site(const TuningKey& key, const Lattice& lattice, int sites, const Kernel& kernel,
                   const Rehearse& rehearse) {
  launch_sites<true>(std::string(key.kernel), lattice.execution(), best_shape(key, lattice, sites, kernel, rehearse),
                     sites, key.right_hand_sides, kernel);
}

}  // namespace kaon::detail
