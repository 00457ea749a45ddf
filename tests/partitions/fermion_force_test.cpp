// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/core/random.hpp>
#include <kaon/operators/fermion_force.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr WilsonCloverParameters parameters{.mass = 0.3,
                                            .csw = 0.9,
                                            .csw_temporal = 1.1,
                                            .anisotropy = {.xi0 = 2.464, .nu = 0.95},
                                            .boundary = {0.3, -0.7, 1.1, 2.5}};

constexpr TwistedCloverParameters twisted{.mass = parameters.mass,
                                          .mu = 0.4,
                                          .csw = parameters.csw,
                                          .csw_temporal = parameters.csw_temporal,
                                          .anisotropy = parameters.anisotropy,
                                          .boundary = parameters.boundary};

/// Forces of pseudofermions and of the determinant.
template <class Dirac>
GaugeField<double> force_on(const Lattice& lattice, Subset subset, const auto& quarks) {
  GaugeField<double> links = weak_links<double>(lattice, 0.3, 8), matrices(lattice);
  SpinorField<double> solutions(lattice, {.subset = subset, .right_hand_sides = 2});
  set_gaussian(solutions, {.seed = 9});
  const Dirac dirac(links, quarks);
  add_fermion_force(matrices, dirac, solutions, std::vector<double>{0.02, -0.03});
  add_determinant_force(matrices, dirac, Parity::odd, 2.0);
  return matrices;
}

template <class Dirac>
void expect_same_forces(const auto& quarks) {
  for (const Subset subset : {Subset::full, Subset::even}) {
    expect_same(all_partitions(), tolerance<double>,
                [&](const Lattice& lattice) { return Made{{force_on<Dirac>(lattice, subset, quarks).to_host()}}; });
  }
}

TEST(FermionForceInParts, IsTheSame) { expect_same_forces<WilsonClover<double>>(parameters); }
TEST(TwistedForceInParts, IsTheSame) { expect_same_forces<TwistedClover<double>>(twisted); }

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
