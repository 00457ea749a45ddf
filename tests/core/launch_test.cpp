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
