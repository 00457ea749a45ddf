// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/partitions/partitions.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/fermion_force.hpp>

namespace kaon::test {
namespace {

constexpr WilsonCloverParameters parameters{.mass = 0.3,
                                            .csw = 0.9,
                                            .csw_temporal = 1.1,
                                            .anisotropy = {.xi0 = 2.464, .nu = 0.95},
                                            .boundary = {0.3, -0.7, 1.1, 2.5}};

/// Of pseudofermions and of the determinant.
GaugeField<double> force_on(const Lattice& lattice, Subset subset) {
  GaugeField<double> links(lattice), matrices(lattice);
  set_weak(links, 0.3, {.seed = 8});
  SpinorField<double> solutions(lattice, {.subset = subset, .right_hand_sides = 2});
  set_gaussian(solutions, {.seed = 9});
  const WilsonClover<double> dirac(links, parameters);
  add_fermion_force(matrices, dirac, solutions, std::vector<double>{0.02, -0.03});
  add_determinant_force(matrices, dirac, Parity::odd, 2.0);
  return matrices;
}

TEST(FermionForceInParts, IsTheSame) {
  for (const Partition& partition : all_partitions()) {
    for (const Subset subset : {Subset::full, Subset::even}) {
      const GaugeField<double> parts = force_on(partition.parts, subset), whole = force_on(partition.whole, subset);
      EXPECT_LT(largest_difference(parts.to_host(), part_of(whole.to_host(), partition.parts)), tolerance<double>)
          << partition.name;
    }
  }
}

}  // namespace
}  // namespace kaon::test
