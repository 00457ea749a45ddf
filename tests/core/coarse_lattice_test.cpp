// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/geometry.hpp"
#include "tests/core/coarse_tables.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/lattice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// A lattice, its aggregates, and what becomes of it.
struct Case {
  Coordinates extents, block, coarse;
  int parities;
};
const Case cases[] = {
    {{4, 4, 4, 8}, {2, 2, 2, 2}, {2, 2, 2, 4}, 2},  {{4, 6, 2, 8}, {2, 3, 1, 4}, {2, 2, 2, 2}, 2},
    {{6, 6, 6, 12}, {2, 2, 2, 2}, {3, 3, 3, 6}, 1}, {{4, 4, 4, 8}, {4, 4, 2, 2}, {1, 1, 2, 4}, 2},
    {{4, 6, 4, 4}, {4, 2, 4, 2}, {1, 3, 1, 2}, 1},  {{4, 4, 4, 4}, {4, 4, 4, 4}, {1, 1, 1, 1}, 1},
    {{8, 4, 12, 4}, {2, 4, 2, 4}, {4, 1, 6, 1}, 2}, {{16, 4, 4, 6}, {1, 1, 2, 1}, {16, 4, 2, 6}, 2},
};

/// All forced partitions of one process that leave even extents.
std::vector<Lattice> coarse_lattices() {
  std::vector<Lattice> all;
  for (const Case& c : cases) {
    for (unsigned mask = 0; mask < 16; ++mask) {
      std::array<bool, 4> partition{};
      bool even = true;
      for (std::size_t mu = 0; mu < 4; ++mu) {
        partition[mu] = ((mask >> mu) & 1u) != 0;
        even = even && (!partition[mu] || c.coarse[mu] % 2 == 0);
      }
      if (even) all.push_back(Lattice({.extents = c.extents, .partition = partition}).coarsened(c.block));
    }
  }
  return all;
}

TEST(CoarseLattice, HasTheAggregatesAsItsSites) {
  for (const Case& c : cases) {
    const Lattice fine({.extents = c.extents});
    const Lattice coarse = fine.coarsened(c.block);
    EXPECT_EQ(coarse.extents(), c.coarse);
    EXPECT_EQ(coarse.local_extents(), c.coarse);
    EXPECT_EQ(coarse.process_grid(), fine.process_grid());
    EXPECT_EQ(coarse.parities(), c.parities) << to_string(c.coarse);
    EXPECT_EQ(coarse.parities(Subset::even), 1);
    EXPECT_TRUE(coarse.is_coarse());
    EXPECT_EQ(coarse.lanes(), Lanes::components);
    EXPECT_EQ(coarse.lane_count<float>(), 1);
    EXPECT_EQ(fine.parities(), 2);
    EXPECT_FALSE(fine.is_coarse());
  }
}

TEST(CoarseLattice, KeepsPartitionsAndForgetsReach) {
  const Lattice fine({.extents = {8, 8, 8, 8}, .partition = {false, true, false, true}, .reach = 3});
  const Lattice coarse = fine.coarsened({4, 4, 4, 4});
  for (std::size_t mu = 0; mu < 4; ++mu) EXPECT_EQ(coarse.is_partitioned(mu), mu % 2 == 1);
  EXPECT_EQ(coarse.reach(), 1);
}

TEST(CoarseLattice, CanBeCoarsenedAgain) {
  const Lattice fine({.extents = {8, 12, 16, 8}});
  const Lattice twice = fine.coarsened({2, 2, 4, 2}).coarsened({2, 3, 2, 1});
  EXPECT_EQ(twice.extents(), (Coordinates{2, 2, 2, 4}));
  EXPECT_EQ(twice, fine.coarsened({4, 6, 8, 2}));
  const Lattice odd = Lattice({.extents = {12, 12, 12, 12}}).coarsened({4, 4, 4, 4});
  EXPECT_EQ(odd.parities(), 1);
  EXPECT_EQ(odd.coarsened({3, 3, 3, 1}).extents(), (Coordinates{1, 1, 1, 3}));
}

TEST(CoarseLattice, IsEqualToCoarseLatticesAlone) {
  const Lattice coarse = Lattice({.extents = {8, 8, 8, 8}}).coarsened({2, 2, 2, 2});
  const Lattice fine({.extents = {4, 4, 4, 4}, .lanes = Lanes::single});
  const Lattice same({.extents = {4, 4, 4, 4}, .lanes = Lanes::components});
  EXPECT_FALSE(coarse == fine);
  EXPECT_FALSE(coarse.same_layout(fine));
  EXPECT_FALSE(fine.same_layout(coarse));
  EXPECT_EQ(coarse, same);
  EXPECT_TRUE(coarse.same_layout(same));
  EXPECT_TRUE(coarse.same_layout(coarse.isolated()));
  EXPECT_TRUE(coarse.isolated().is_coarse());
}

TEST(CoarseLattice, RefusesAggregatesThatDoNotDivideIt) {
  const Lattice fine({.extents = {4, 6, 4, 8}, .partition = {false, false, false, true}});
  KAON_EXPECT_ERROR(fine.coarsened({3, 2, 2, 2}),
                    "aggregates of 3x2x2x2 sites do not fit local lattice 4x6x4x8: in direction x their extent may be "
                    "1, 2, 4");
  KAON_EXPECT_ERROR(fine.coarsened({2, 4, 2, 2}), "in direction y their extent may be 1, 2, 3, 6");
  KAON_EXPECT_ERROR(fine.coarsened({2, 2, 0, 2}), "in direction z their extent may be 1, 2, 4");
  KAON_EXPECT_ERROR(fine.coarsened({2, 2, 2, 8}),
                    "in direction t their extent may be 1, 2, 4, since a partitioned direction needs an even number");
  KAON_EXPECT_ERROR(fine.coarsened({-2, 2, 2, 2}), "aggregates of -2x2x2x2");
  EXPECT_EQ(fine.coarsened({4, 2, 2, 2}).extents(), (Coordinates{1, 3, 2, 4}));
}

TEST(CoarseLattice, RefusesExtentsThatItCannotHave) {
  KAON_EXPECT_ERROR(Lattice({.extents = {3, 0, 3, 3}, .lanes = Lanes::components}), "each must be at least 1");
  KAON_EXPECT_ERROR(Lattice({.extents = {3, 3, 3, 6}, .partition = {true}, .lanes = Lanes::components}),
                    "does not cut lattice 3x3x3x6 into even local extents in partitioned directions");
  KAON_EXPECT_ERROR(Lattice({.extents = {4, 4, 4, 4}, .lanes = Lanes::components, .reach = 3}),
                    "a coarse lattice has reach 1, not 3");
}

TEST(CoarseSites, AreNumberedInTheOrderOfStorage) {
  for (const Lattice& lattice : coarse_lattices()) {
    const detail::CoarseSites sites(lattice);
    const detail::SiteMap map = detail::SiteMap::of<float>(lattice);
    const std::vector<int> numbers = on_host(sites.numbers(), static_cast<std::size_t>(lattice.local_volume()));
    for (int parity = 0; parity < lattice.parities(); ++parity) {
      const Tables tables(sites, Parity{parity});
      for (int number = 0; number < sites.sites(); ++number) {
        const Coordinates site = tables.site(number);
        const int x[4] = {site[0], site[1], site[2], site[3]};
        const detail::Place place = map.place(x);
        EXPECT_EQ(place.parity, parity);
        EXPECT_EQ(place.index, number);
        EXPECT_EQ(place.lane, 0);
        int back[4];
        map.coordinates(place, back);
        EXPECT_TRUE(std::ranges::equal(back, x));
        const auto lexicographic = static_cast<std::size_t>(lexicographic_index(site, lattice.local_extents()));
        EXPECT_EQ(map.global_index(x), lexicographic);
        EXPECT_EQ(numbers[lexicographic], parity * sites.sites() + number);
      }
    }
  }
}

TEST(CoarseSites, HaveTheirNeighboursAheadAndBehind) {
  for (const Lattice& lattice : coarse_lattices()) {
    const detail::CoarseSites sites(lattice);
    for (int p = 0; p < lattice.parities(); ++p) {
      const Parity parity{p};
      const Tables here(sites, parity), there(sites, neighbor_parity(lattice, parity));
      for (int number = 0; number < sites.sites(); ++number) {
        for (std::size_t face = 0; face < 8; ++face) {
          const std::size_t mu = face / 2;
          const int extent = lattice.extents()[mu], step = face % 2 == 0 ? 1 : -1;
          const int found = here.neighbors[8 * static_cast<std::size_t>(number) + face];
          if (extent == 1) {
            EXPECT_EQ(found, -1);
            continue;
          }
          Coordinates expected = here.site(number);
          const bool crosses = expected[mu] + step < 0 || expected[mu] + step >= extent;
          expected[mu] = (expected[mu] + step + extent) % extent;
          if (crosses && lattice.is_partitioned(mu)) {
            // The process around this one is this one itself.
            ASSERT_GE(found, sites.first_halo_site(neighbor_parity(lattice, parity), static_cast<int>(face)));
            ASSERT_LT(found, sites.first_halo_site(neighbor_parity(lattice, parity), static_cast<int>(face) + 1));
            EXPECT_EQ(there.site(there.halo_sites[static_cast<std::size_t>(found - sites.sites())]), expected);
          } else {
            ASSERT_LT(found, sites.sites());
            EXPECT_EQ(there.site(found), expected);
          }
        }
      }
    }
  }
}

TEST(CoarseSites, NumberEachHaloSiteOnceInTheOrderOfStorage) {
  for (const Lattice& lattice : coarse_lattices()) {
    const detail::CoarseSites sites(lattice);
    std::ptrdiff_t halo = 0, faces = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (lattice.is_partitioned(mu)) faces += 2 * lattice.local_volume() / lattice.local_extents()[mu];
    }
    for (int p = 0; p < lattice.parities(); ++p) {
      const Tables tables(sites, Parity{p}), from(sites, neighbor_parity(lattice, Parity{p}));
      halo += static_cast<std::ptrdiff_t>(tables.halo_sites.size());
      EXPECT_EQ(sites.first_halo_site(Parity{p}, 0), sites.sites());
      std::multiset<int> used;
      for (const int neighbor : from.neighbors) {
        if (neighbor >= sites.sites()) used.insert(neighbor);
      }
      for (int face = 0; face < 8; ++face) {
        const int first = sites.first_halo_site(Parity{p}, face), last = sites.first_halo_site(Parity{p}, face + 1);
        for (int number = first; number < last; ++number) {
          EXPECT_EQ(used.count(number), 1u);
          if (number == first) continue;
          const auto k = static_cast<std::size_t>(number - sites.sites());
          EXPECT_LT(tables.halo_sites[k - 1], tables.halo_sites[k]);
        }
      }
    }
    EXPECT_EQ(halo, faces);
  }
}

TEST(CoarseSites, AreThoseOfCoarseLatticesAlone) {
  KAON_EXPECT_ERROR(detail::CoarseSites(Lattice({.extents = {4, 4, 4, 4}})), "are for coarse lattices");
  const Lattice odd = Lattice({.extents = {6, 6, 6, 12}}).coarsened({2, 2, 2, 2});
  KAON_EXPECT_ERROR(detail::CoarseSites(odd).neighbors(Parity::odd), "has no odd sites");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
