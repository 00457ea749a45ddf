// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kaon::test {
namespace {

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

/// The same on the sites of a sub-lattice, which may be taken in boxes.
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
      detail::launch_sites<true>("count", execution, shape, node.half_volume, 5, CountingOnLattice{{counts}, node});
      ASSERT_TRUE(all_visited(counts, ++times))
          << to_string(extents) << ": " << shape.sites << (shape.box ? " box" : "");
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
    EXPECT_EQ(shapes.front(), detail::standard_shape(right_hand_sides));
    for (const LaunchShape& shape : shapes) {
      EXPECT_EQ(std::count(shapes.begin(), shapes.end(), shape), 1);
      EXPECT_TRUE(shape.sites >= 1 && shape.threads_per_site >= 1 && shape.right_hand_sides >= 1);
      if (on_device) {
        EXPECT_LE(shape.sites * shape.threads_per_site, detail::largest_team);
      } else {
        EXPECT_EQ(shape.threads_per_site, 1);
      }
    }
  }
}

}  // namespace
}  // namespace kaon::test
