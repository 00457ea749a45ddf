// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"

#include <kaon/operators/twisted_mass.hpp>

namespace kaon {
namespace KAON_TEST_FILE {

constexpr double kappa = 0.15;

/// Sum over spins, colours and sites of |S|^2 / 64 along z: (2 kappa)^2/64 times that of M_kappa = 1 - kappa D - ...
std::vector<double> correlator_in_z(const SpinorField<double>& propagator) {
  std::vector<double> correlator = pion_correlator(propagator, {.direction = 2});
  for (double& value : correlator) value /= 64.0;
  return correlator;
}

// cl2qcd's M_kappa = 1 - kappa D - 2 i kappa mu gamma_5 has mu = 4 where ours has mu = -4; periodic in all directions.
TEST(TwistedMass, ReproducesThePeriodicCorrelatorInZ) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  const std::vector<double> expected{6.40008946516344e-03, 1.17492646085198e-04, 2.50278817534017e-06,
                                     1.18464343697740e-04};
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const Lattice lattice({.extents = {4, 4, 4, 4}, .lanes = lanes});
    const auto links = io::read_gauge<double>(lattice, path);
    const SpinorField<double> sources = test::point_sources(lattice, {0, 0, 0, 0});
    const TwistedMass<double> dirac(links, {.mass = mass_from_kappa(kappa), .mu = -4.0, .boundary = periodic});
    test::expect_relatively_near(correlator_in_z(test::solve(dirac, sources)), expected, 1e-11);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
