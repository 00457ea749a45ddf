// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch/launch.hpp"
#include "core/reductions/pending_reductions.hpp"

#include <kaon/core/lattice.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Counts = Kokkos::View<int**, Memory>;

struct CountingKernel {
  Counts counts;  // [site][right-hand side]

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int rhs = first; rhs < last; ++rhs) Kokkos::atomic_inc(&counts(index, rhs));
  }
};

/// Whether every site and right-hand side has been visited `times` times.
bool all_visited(const Counts& counts, int times) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  for (std::size_t site = 0; site < host.extent(0); ++site) {
    for (std::size_t rhs = 0; rhs < host.extent(1); ++rhs) {
      if (host(site, rhs) != times) return false;
    }
  }
  return true;
}

TEST(Launch, EveryShapeVisitsEverythingOnce) {
  const Execution execution;
  for (const int sites : {1, 16, 100, 1000}) {
    for (const int right_hand_sides : {1, 2, 5, 12}) {
      const Counts counts("counts", static_cast<std::size_t>(sites), static_cast<std::size_t>(right_hand_sides));
      int times = 0;
      for (const LaunchShape& shape : detail::launch_shapes(execution, sites, right_hand_sides)) {
        detail::launch_sites<true>("count", execution, shape, sites, right_hand_sides, CountingKernel{counts});
        ASSERT_TRUE(all_visited(counts, ++times))
            << sites << " sites, " << right_hand_sides << " right-hand sides: " << shape.sites << ", "
            << shape.threads_per_site << ", " << shape.right_hand_sides;
      }
      detail::for_each_site("count", execution, sites, right_hand_sides, CountingKernel{counts});
      EXPECT_TRUE(all_visited(counts, times + 1));
    }
  }
}

/// Launches on the sites of a sub-lattice, which may be visited in boxes.
struct CountingOnLattice : CountingKernel {
  detail::SubLattice node;
};

TEST(Launch, EveryShapeVisitsEverySiteOfALatticeOnce) {
  const Execution execution;
  for (const Coordinates& extents :
       {Coordinates{8, 8, 8, 8}, Coordinates{16, 4, 2, 8}, Coordinates{4, 6, 2, 10}, Coordinates{12, 4, 4, 4}}) {
    const detail::SubLattice node(extents, {1, 1, 1, 1});
    const Counts counts("counts", static_cast<std::size_t>(node.half_volume), 5);
    int times = 0;
    for (const LaunchShape& shape : detail::launch_shapes(execution, node.half_volume, 5)) {
      for (const LaunchShape& order : detail::tile_orders(shape, node, false)) {
        detail::launch_sites<true>("count", execution, order, node.half_volume, 5, CountingOnLattice{{counts}, node});
        ASSERT_TRUE(all_visited(counts, ++times)) << to_string(extents) << ": " << shape.sites
                                                  << (shape.box ? " box, " : ", ") << order.columns << " columns";
      }
    }
  }
}

TEST(Launch, ColumnsBringNeighborsInTimeCloser) {
  const detail::SubLattice node({16, 8, 8, 6}, {1, 1, 1, 1});
  for (const LaunchShape& shape : {LaunchShape{.sites = 64}, LaunchShape{.sites = 64, .box = true}}) {
    const detail::SiteBox box = shape.box ? detail::SiteBox(node, shape.sites) : detail::SiteBox();
    ASSERT_EQ(box.usable, shape.box);
    const int tiles = node.half_volume / shape.sites;
    const std::vector<LaunchShape> orders = detail::tile_orders(shape, node, true);
    ASSERT_GE(orders.size(), 4u);
    EXPECT_EQ(orders.front(), shape);
    for (const LaunchShape& order : orders) {
      const detail::TileOrder tile_order(node, box, order, tiles);
      std::vector<int> place_of(static_cast<std::size_t>(tiles), -1);
      for (int place = 0; place < tiles; ++place) {
        const int tile = tile_order.tile(place);
        ASSERT_TRUE(tile >= 0 && tile < tiles && place_of[static_cast<std::size_t>(tile)] == -1) << tile;
        place_of[static_cast<std::size_t>(tile)] = place;
      }
      const int times = shape.box ? node.extent[3] / box.size[2] : node.extent[3];
      const int slice = tiles / times;
      for (int tile = 0; tile + slice < tiles; ++tile) {
        EXPECT_EQ(place_of[static_cast<std::size_t>(tile + slice)] - place_of[static_cast<std::size_t>(tile)],
                  slice / order.columns);
      }
    }
  }
  // A slice of 36 sites is not whole tiles of 64.
  const LaunchShape uneven{.sites = 64};
  EXPECT_EQ(detail::tile_orders(uneven, detail::SubLattice({12, 6, 1, 16}, {1, 1, 1, 1}), false).size(), 1u);
}

TEST(Launch, KernelsOnDevicesAlternateTheirDirectionWhereTheyCan) {
  EXPECT_FALSE(detail::alternate_direction(false));
  EXPECT_EQ(detail::alternate_direction(), on_device);
  EXPECT_FALSE(detail::alternate_direction());
  EXPECT_EQ(detail::alternate_direction(), on_device);
  EXPECT_FALSE(detail::alternate_direction(false));
  EXPECT_EQ(detail::alternate_direction(), on_device);
}

/// Sums numbers that depend on site, right-hand side and sum. (Not products: a compiler may fuse them with additions in
/// one place and not in another.)
struct SummingKernel {
  using Value = double;
  detail::SubLattice node;
  detail::SiteSums sums;

  KOKKOS_FUNCTION static double term(int index, int rhs, int k) { return 1.0 / (1.0 + 7.0 * rhs + index + 3.0 * k); }
  template <class Sums>
  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last, Sums& collector) const {
    if constexpr (!std::is_same_v<std::remove_const_t<Sums>, detail::NoSums>) {
      for (int rhs = first; rhs < last; ++rhs) {
        double s[detail::site_sums];
        for (int k = 0; k < detail::site_sums; ++k) s[k] = collector.present ? term(index, rhs, k) : 0.0;
        collector.add(rhs, s);
      }
    }
  }
};

TEST(Launch, SumsOverSitesDoNotDependOnTheShape) {
  constexpr int right_hand_sides = 13;
  for (const Coordinates& extents : {Coordinates{2, 2, 2, 6}, Coordinates{8, 8, 8, 8}, Coordinates{16, 4, 2, 8},
                                     Coordinates{12, 4, 4, 4}, Coordinates{16, 16, 16, 16}}) {
    const Lattice lattice({.extents = extents, .lanes = Lanes::single});
    SummingKernel kernel;
    kernel.node = detail::SubLattice(extents, {1, 1, 1, 1});
    const int sites = kernel.node.half_volume;
    kernel.sums.parts = detail::SiteSums::parts_of(sites);
    const Kokkos::View<double*, Memory> partial(
        "partial", static_cast<std::size_t>(kernel.sums.parts * right_hand_sides * detail::site_sums));
    kernel.sums.partial = partial.data();
    std::vector<double> first;
    const auto shapes =
        with_whole_parts(detail::launch_shapes(lattice.execution(), sites, right_hand_sides), kernel.node);
    ASSERT_GE(shapes.size(), 1u);
    for (const LaunchShape& shape : shapes) {
      Kokkos::deep_copy(partial, 1e300);
      detail::launch_sites<true>("sum", lattice.execution(), shape, sites, right_hand_sides, kernel);
      const std::vector<double> found = detail::PartialSums{kernel.sums}.reduce(lattice, right_hand_sides).wait();
      if (first.empty()) first = found;
      ASSERT_EQ(found, first) << to_string(extents) << ": " << shape.sites << (shape.box ? " box " : " ")
                              << shape.threads_per_site << ", " << shape.right_hand_sides;
    }
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int k = 0; k < detail::site_sums; ++k) {
        double sum = 0.0;
        for (int index = 0; index < sites; ++index) sum += SummingKernel::term(index, rhs, k);
        EXPECT_NEAR(first[static_cast<std::size_t>(rhs * detail::site_sums + k)], sum, 1e-12 * sum);
      }
    }
  }
}

TEST(Launch, BoxesHoldEverySiteOnceAndKeepNeighboursTogether) {
  const detail::SubLattice node({16, 8, 4, 8}, {1, 1, 1, 1});
  for (const int sites : {16, 32, 64, 128}) {
    const detail::SiteBox box(node, sites);
    ASSERT_TRUE(box.usable);
    std::vector<int> visits(static_cast<std::size_t>(node.half_volume), 0);
    for (int number = 0; number < node.half_volume / sites; ++number) {
      int low[4] = {1 << 20, 1 << 20, 1 << 20, 1 << 20}, high[4] = {-1, -1, -1, -1};
      for (int rank = 0; rank < sites; ++rank) {
        const int index = box.index(node, number, rank);
        ASSERT_TRUE(index >= 0 && index < node.half_volume);
        ++visits[static_cast<std::size_t>(index)];
        const detail::Site site = node.site(index, 0);
        for (int mu = 0; mu < 4; ++mu) {
          low[mu] = std::min(low[mu], site.x[mu]);
          high[mu] = std::max(high[mu], site.x[mu]);
        }
      }
      for (int mu = 1; mu < 4; ++mu) EXPECT_EQ(high[mu] - low[mu] + 1, box.size[mu - 1]);
      EXPECT_LE(box.size[0] * box.size[1] * box.size[2] * 8, sites);
    }
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), node.half_volume);
  }
  EXPECT_FALSE(detail::SiteBox(node, 24).usable);
  EXPECT_FALSE(detail::SiteBox(detail::SubLattice({12, 4, 4, 4}, {1, 1, 1, 1}), 64).usable);
}

TEST(Launch, ShapesDifferAndBeginWithTheStandard) {
  for (const int right_hand_sides : {1, 2, 5, 12}) {
    const auto shapes = detail::launch_shapes(Execution(), 4096, right_hand_sides);
    EXPECT_EQ(shapes.front(), detail::standard_shape(Execution(), 4096, right_hand_sides));
    for (const LaunchShape& shape : shapes) {
      EXPECT_EQ(std::count(shapes.begin(), shapes.end(), shape), 1);
      EXPECT_TRUE(shape.sites >= 1 && shape.threads_per_site >= 1 && shape.right_hand_sides >= 1);
      if (on_device) {
        EXPECT_LE(shape.sites * shape.threads_per_site, detail::largest_site_team);
      } else {
        EXPECT_EQ(shape.threads_per_site, 1);
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
