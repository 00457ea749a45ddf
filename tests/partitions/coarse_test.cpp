// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/core/coarse_tables.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Coarse lattices in parts and in one piece, with two parities, an extent 1, and an odd extent.
std::vector<Partition> coarse_partitions() {
  struct Case {
    Coordinates extents, block;
  };
  const Case cases[] = {{{8, 8, 8, 16}, {2, 2, 2, 2}}, {{8, 4, 12, 16}, {2, 4, 3, 4}}, {{6, 8, 8, 8}, {2, 2, 2, 2}}};
  std::vector<Partition> all;
  for (const Case& c : cases) {
    for (const Partition& fine : partitions(c.extents)) {
      bool fits = fine.parts.lanes() == Lanes::native;
      for (std::size_t mu = 0; mu < 4; ++mu) {
        const int local = fine.parts.local_extents()[mu];
        fits = fits && local % c.block[mu] == 0 && (!fine.parts.is_partitioned(mu) || local / c.block[mu] % 2 == 0);
      }
      if (fits) all.push_back({fine.parts.coarsened(c.block), fine.whole.coarsened(c.block), "coarse " + fine.name});
    }
  }
  return all;
}

TEST(CoarseInParts, ThereAreSome) { EXPECT_GE(coarse_partitions().size(), processes().size() <= 4 ? 4u : 1u); }

TEST(CoarseInParts, HasThePartsOfTheFineLattice) {
  for (const Partition& partition : coarse_partitions()) {
    const Lattice &parts = partition.parts, &whole = partition.whole;
    EXPECT_EQ(parts.extents(), whole.extents()) << partition.name;
    EXPECT_EQ(parts.parities(), whole.parities()) << partition.name;
    EXPECT_EQ(parts.isolated().parities(), parts.parities()) << partition.name;
    EXPECT_EQ(parts.communicator().size(), processes().size());
    for (std::size_t mu = 0; mu < 4; ++mu) {
      EXPECT_TRUE(!parts.is_partitioned(mu) || parts.local_extents()[mu] % 2 == 0) << partition.name;
    }
  }
}

/// Global coordinates of a site of the process at `place`.
Coordinates global(const Lattice& lattice, const Coordinates& place, const Coordinates& local) {
  Coordinates x{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int processes_mu = lattice.process_grid()[mu];
    x[mu] = (place[mu] + processes_mu) % processes_mu * lattice.local_extents()[mu] + local[mu];
  }
  return x;
}

TEST(CoarseInParts, HasNeighboursOnOtherProcesses) {
  for (const Partition& partition : coarse_partitions()) {
    const Lattice& parts = partition.parts;
    const detail::CoarseSites sites(parts);
    for (int p = 0; p < parts.parities(); ++p) {
      const Parity parity{p};
      const Tables here(sites, parity), there(sites, neighbor_parity(parts, parity));
      for (int number = 0; number < sites.sites(); ++number) {
        const Coordinates x = global(parts, parts.process_coordinates(), here.site(number));
        EXPECT_TRUE(parts.parities() == 1 || (x[0] + x[1] + x[2] + x[3]) % 2 == p) << partition.name;
        for (int face = 0; face < 8; ++face) {
          const auto mu = static_cast<std::size_t>(face / 2);
          const int step = face % 2 == 0 ? 1 : -1;
          const int found = here.neighbors[static_cast<std::size_t>(8 * number + face)];
          if (parts.extents()[mu] == 1) {
            EXPECT_EQ(found, -1);
            continue;
          }
          Coordinates expected = x, place = parts.process_coordinates();
          expected[mu] = (x[mu] + step + parts.extents()[mu]) % parts.extents()[mu];
          int site = found;
          if (found >= sites.sites()) {
            place[mu] += step;
            site = there.halo_sites[static_cast<std::size_t>(found - sites.sites())];
          }
          EXPECT_EQ(global(parts, place, there.site(site)), expected) << partition.name;
        }
      }
    }
  }
}

template <class T>
class CoarseFieldsInParts : public ::testing::Test {};
TYPED_TEST_SUITE(CoarseFieldsInParts, Precisions);

constexpr int color_cases[] = {8, 6};  // whole registers, and W = 1

TYPED_TEST(CoarseFieldsInParts, TakeAndGiveTheSitesOfThisProcess) {
  for (const Partition& partition : coarse_partitions()) {
    for (const int colors : color_cases) {
      HostValues values(static_cast<std::size_t>(partition.whole.volume()) * 2 * static_cast<std::size_t>(colors));
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = {static_cast<double>(k), 1.0};
      SpinorField<TypeParam> psi(partition.parts, {.spins = 2, .colors = colors, .right_hand_sides = 2});
      psi.from_host(part_of(values, partition.parts), 1);
      EXPECT_EQ(psi.to_host(1), part_of(values, partition.parts)) << partition.name;
      EXPECT_EQ(psi.to_host(0), HostValues(psi.to_host(1).size())) << partition.name;
    }
  }
}

TYPED_TEST(CoarseFieldsInParts, HaveTheRandomNumbersNormsAndProductsOfTheWhole) {
  using T = TypeParam;
  using Set = void (*)(SpinorField<T>&, const RandomKey&);
  for (const Partition& partition : coarse_partitions()) {
    for (const int colors : color_cases) {
      for (const Subset subset : {Subset::full, Subset::even}) {
        const SpinorParameters shape{.spins = 2, .colors = colors, .subset = subset, .right_hand_sides = 2};
        SpinorField<T> x(partition.parts, shape), whole_x(partition.whole, shape);
        SpinorField<T> y(partition.parts, shape), whole_y(partition.whole, shape);
        set_gaussian(y, {.seed = 2});
        set_gaussian(whole_y, {.seed = 2});
        for (const Set set : {static_cast<Set>(set_z2), static_cast<Set>(set_gaussian)}) {
          set(x, {.seed = 1});
          set(whole_x, {.seed = 1});
          for (const int rhs : {0, 1}) EXPECT_EQ(x.to_host(rhs), part_of(whole_x.to_host(rhs), partition.parts));
        }
        const blas::ProductAndNorm found = blas::inner_product_norm2(x, y);
        const blas::ProductAndNorm expected = blas::inner_product_norm2(whole_x, whole_y);
        for (std::size_t rhs = 0; rhs < 2; ++rhs) {
          const double allowed = 1e-12 * expected.norm2[rhs];  // sums are in double
          EXPECT_NEAR(found.norm2[rhs], expected.norm2[rhs], allowed) << partition.name;
          EXPECT_LE(std::abs(found.product[rhs] - expected.product[rhs]), allowed) << partition.name;
        }
      }
    }
  }
}

TEST(CoarseInParts, RefusesAnOddNumberOfAggregatesOnAProcess) {
  const Coordinates grid{1, 1, 1, processes().size()};
  const int extent = 6 * processes().size();
  const Lattice fine(processes(),
                     {.extents = {4, 4, 4, extent}, .process_grid = grid, .partition = {false, false, false, true}});
  KAON_EXPECT_ERROR(fine.coarsened({2, 2, 2, 2}),
                    "in direction t their extent may be 1, 3, since a partitioned direction needs an even number");
  EXPECT_EQ(fine.coarsened({4, 4, 2, 3}).local_extents(), (Coordinates{1, 1, 2, 2}));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
