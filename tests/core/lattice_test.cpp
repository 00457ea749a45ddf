// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/error_text.hpp"

#include "core/lanes/lanes.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/lattice.hpp>
#include <kaon/core/spinor_field.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <tuple>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(Lattice, RefusesExtentsThatAreNotEven) {
  for (const Coordinates& extents :
       {Coordinates{4, 4, 4, 5}, Coordinates{3, 4, 4, 4}, Coordinates{4, 0, 4, 4}, Coordinates{4, 4, -2, 4}}) {
    KAON_EXPECT_ERROR(Lattice({.extents = extents}), "each must be even and at least 2");
  }
  KAON_EXPECT_ERROR(Lattice({.extents = {4, 4, 4, 5}}), "4x4x4x5");
}

TEST(Lattice, RefusesMoreSitesThanCanBeCounted) {
  for (const Coordinates& extents :
       {Coordinates{65536, 65536, 65536, 65536}, Coordinates{1 << 20, 1 << 20, 1 << 20, 16},
        Coordinates{1 << 30, 1 << 30, 1 << 30, 1 << 30}, Coordinates{1 << 10, 1 << 10, 1 << 10, 1 << 11}}) {
    KAON_EXPECT_ERROR(Lattice({.extents = extents}), "has more than 2^40 sites");
    KAON_EXPECT_ERROR((void)choose_process_grid(extents, 2), "has more than 2^40 sites");
  }
  KAON_EXPECT_ERROR(Lattice({.extents = {1 << 10, 1 << 10, 1 << 20, 1}}), "each must be even");
  KAON_EXPECT_ERROR(Lattice({.extents = {1 << 10, 1 << 10, 1 << 10, 1 << 10}}), "use more processes");
}

TEST(Lattice, RefusesProcessGridsThatDoNotFit) {
  for (const int huge : {1 << 30, std::numeric_limits<int>::max()}) {
    KAON_EXPECT_ERROR(Lattice({.extents = {4, 4, 4, 4}, .process_grid = {huge, 1, 1, 1}}), "even local extents");
  }
  KAON_EXPECT_ERROR(Lattice({.extents = {4, 4, 4, 4}, .process_grid = {4, 1, 1, 1}}), "even local extents");
  KAON_EXPECT_ERROR(Lattice({.extents = {4, 4, 4, 4}, .process_grid = {1, 1, 1, 2}}),
                    "has 2 processes, but the communicator has 1");
}

TEST(Lattice, ChoosesTheProcessGridWithTheSmallestSurface) {
  EXPECT_EQ(choose_process_grid({8, 8, 8, 16}, 1), (Coordinates{1, 1, 1, 1}));
  EXPECT_EQ(choose_process_grid({8, 8, 8, 16}, 2), (Coordinates{1, 1, 1, 2}));
  // Local faces of 24^3 sites, against 24^3 and 24^2 x 12 of a grid 1x1x2x2.
  EXPECT_EQ(choose_process_grid({24, 24, 24, 48}, 4), (Coordinates{1, 1, 1, 4}));
  // The surface is as large as that of 1x2x2x4, which partitions more directions.
  EXPECT_EQ(choose_process_grid({32, 32, 32, 64}, 16), (Coordinates{1, 1, 2, 8}));
  EXPECT_EQ(choose_process_grid({4, 4, 4, 12}, 3), (Coordinates{1, 1, 1, 3}));
  EXPECT_EQ(choose_process_grid({16, 4, 4, 4}, 4), (Coordinates{4, 1, 1, 1}));
  EXPECT_EQ(choose_process_grid({4, 4, 4, 8}, 4), (Coordinates{1, 1, 1, 4}));
  EXPECT_EQ(choose_process_grid({4, 8, 4, 8}, 4, 3), (Coordinates{1, 2, 1, 2}));
  KAON_EXPECT_ERROR((void)choose_process_grid({4, 4, 4, 8}, 4, 3), "local lattices of even extents above 3");
  KAON_EXPECT_ERROR((void)choose_process_grid({8, 8, 8, 8}, 3), "no grid of 3 processes cuts lattice 8x8x8x8");
  KAON_EXPECT_ERROR((void)choose_process_grid({4, 4, 4, 4}, 32), "another number of processes");
}

TEST(Lattice, IsPartitionedWhereAskedTo) {
  const Lattice lattice({.extents = {4, 4, 8, 8}, .partition = {false, true, false, true}});
  EXPECT_TRUE(lattice.is_partitioned());
  EXPECT_FALSE(lattice.is_partitioned(0));
  EXPECT_TRUE(lattice.is_partitioned(1));
  EXPECT_EQ(lattice.neighbor(1, -1), 0);
  EXPECT_EQ(lattice.origin(), (Coordinates{0, 0, 0, 0}));
  EXPECT_FALSE(Lattice({.extents = {4, 4, 8, 8}}).is_partitioned());
  EXPECT_FALSE(lattice == Lattice({.extents = {4, 4, 8, 8}}));
  KAON_EXPECT_ERROR(Lattice({.extents = {4, 4, 8, 8}, .ranks = {1}}), "must be 0 to 0, each once");
}

TEST(Lattice, CutsOnlyWhereBothHalvesStayEven) {
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 4}, Coordinates{8, 4, 4, 8}, Coordinates{24, 24, 24, 24}}) {
    const Lattice lattice({.extents = extents});
    EXPECT_EQ(lattice.lane_count<double>(), detail::native_lanes<double>) << to_string(extents);
    EXPECT_EQ(lattice.lane_count<float>(), detail::native_lanes<float>) << to_string(extents);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      EXPECT_EQ(extents[mu] % (2 * lattice.lane_grid<float>()[mu]), 0) << to_string(extents);
    }
  }
  const Lattice odd_halves({.extents = {6, 6, 6, 2}});
  EXPECT_EQ(odd_halves.lane_count<double>(), 1);
  const Lattice asked({.extents = {8, 8, 8, 8}, .lanes = Lanes::single});
  EXPECT_EQ(asked.lane_count<float>(), 1);
}

TEST(Lattice, HasAPlaceForEverySiteAndASiteForEveryPlace) {
  for (const Coordinates& extents : {Coordinates{4, 6, 2, 8}, Coordinates{8, 4, 4, 8}}) {
    const Lattice lattice({.extents = extents});
    const detail::SiteMap map = detail::SiteMap::of<float>(lattice);
    const detail::SubLattice node(extents, lattice.lane_grid<float>());
    EXPECT_EQ(map.sites, node.half_volume);
    std::set<std::tuple<int, int, int>> places;
    for (std::ptrdiff_t k = 0; k < lattice.volume(); ++k) {
      const Coordinates site = lexicographic_site(k, extents);
      const int x[4] = {site[0], site[1], site[2], site[3]};
      const detail::Place place = map.place(x);
      EXPECT_EQ(place.parity, (x[0] + x[1] + x[2] + x[3]) % 2);
      places.insert({place.parity, place.index, place.lane});
      int back[4];
      map.coordinates(place, back);
      const detail::Site in_node = node.site(place.index, place.parity);
      for (int mu = 0; mu < 4; ++mu) {
        EXPECT_EQ(back[mu], x[mu]);
        EXPECT_EQ(in_node.x[mu], x[mu] % node.extent[mu]);
      }
      EXPECT_EQ(map.global_index(x), static_cast<std::uint64_t>(k));
    }
    EXPECT_EQ(static_cast<std::ptrdiff_t>(places.size()), lattice.volume());
  }
}

// Two instances do not wait for each other, so that a field of one must not meet a field of the other.
TEST(Lattice, IsAnotherOneOnAnotherExecutionInstance) {
#ifdef KOKKOS_ENABLE_OPENMP
  omp_set_max_active_levels(2);  // or there is one instance alone
#endif
  const auto instances = Kokkos::Experimental::partition_space(Execution(), 1, 1);
#ifdef KOKKOS_ENABLE_OPENMP
  omp_set_max_active_levels(1);
#endif
  if (instances[0] == instances[1]) GTEST_SKIP() << "this Kokkos has one instance alone";
  const LatticeParameters usual{.extents = {4, 4, 4, 4}};
  LatticeParameters first = usual, second = usual;
  first.execution = instances[0];
  second.execution = instances[1];
  EXPECT_TRUE(Lattice(usual) == Lattice(usual));
  EXPECT_TRUE(Lattice(first) == Lattice(first));
  EXPECT_FALSE(Lattice(first) == Lattice(second));
  EXPECT_FALSE(Lattice(first) == Lattice(usual));
  const Lattice lattice(first);
  EXPECT_TRUE(lattice.isolated() == lattice.isolated());
  SpinorField<double> x(lattice);
  const SpinorField<double> y{Lattice(second)};
  KAON_EXPECT_ERROR(blas::copy(x, y), "lattice");
}

TEST(SubLattice, FindsTheNeighboursOfEverySite) {
  const Coordinates extents{4, 6, 2, 8};
  const detail::SubLattice node(extents, {1, 1, 1, 1});
  for (int parity = 0; parity < 2; ++parity) {
    for (int index = 0; index < node.half_volume; ++index) {
      const detail::Site here = node.site(index, parity);
      for (int mu = 0; mu < 4; ++mu) {
        const int extent = extents[static_cast<std::size_t>(mu)];
        for (const int step : {1, -1}) {
          const detail::Neighbor neighbor = step > 0 ? node.forward(here, mu) : node.backward(here, mu);
          const detail::Site there = node.site(neighbor.index, 1 - parity);
          for (int nu = 0; nu < 4; ++nu) {
            const int expected = nu == mu ? (here.x[nu] + step + extent) % extent : here.x[nu];
            EXPECT_EQ(there.x[nu], expected);
          }
          EXPECT_EQ(neighbor.crossed, here.x[mu] + step < 0 || here.x[mu] + step >= extent);
        }
      }
    }
  }
}

TEST(Divisor, DividesLikeTheProcessor) {
  for (const int divisor : {1, 2, 3, 5, 7, 12, 48, 641, 65535, 1 << 20, 2147483647}) {
    const detail::Divisor divide(divisor);
    for (const int n : {0, 1, 2, 3, 11, 12, 13, 640, 641, 642, 1000003, 2147483646, 2147483647}) {
      int rest = -1;
      EXPECT_EQ(divide.divide(n, rest), n / divisor) << n << " / " << divisor;
      EXPECT_EQ(rest, n % divisor) << n << " / " << divisor;
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
