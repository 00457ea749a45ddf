// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/known_answers/propagators.hpp"

#include <kaon/measure/spin_basis.hpp>

namespace kaon {
namespace KAON_TEST_FILE {

// Given with eight decimals; point source at the origin, antiperiodic in time.
TEST(Wilson, ReproducesCorrelatorsAtTwoKappas) {
  KAON_TEST_DATA_FILE(path, "ildg/L4T8conf");
  const std::pair<double, std::vector<double>> cases[] = {
      {0.150, {1.34803716, 0.12579953, 0.01934984, 0.00376117, 0.00145365, 0.00387659, 0.02044779, 0.12780942}},
      {0.167, {1.63641765, 0.20779996, 0.03102078, 0.00530284, 0.00187391, 0.00616119, 0.03491983, 0.21584283}}};
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const Lattice lattice({.extents = {4, 4, 4, 8}, .lanes = lanes});
    const auto links = io::read_gauge<double>(lattice, path);
    const SpinorField<double> sources = test::point_sources(lattice, {0, 0, 0, 0});
    for (const auto& [kappa, expected] : cases) {
      const Wilson<double> dirac(links, {.mass = mass_from_kappa(kappa)});
      test::expect_near(pion_correlator(test::solve(dirac, sources, 1e-10)), expected, 1e-8);
    }
  }
}

/// (2 kappa)^2/64 sum |S_kappa|^2 along z with the periodic operator M_kappa = 1 - kappa D, kappa = 0.15.
void expect_correlator_in_z(const GaugeField<double>& links, const std::vector<double>& expected) {
  constexpr double kappa = 0.15;
  const SpinorField<double> sources = test::point_sources(links.lattice(), {0, 0, 0, 0});
  const Wilson<double> dirac(links, {.mass = mass_from_kappa(kappa), .boundary = periodic});
  SpinorField<double> propagator = test::solve(dirac, sources);
  to_kappa_normalization(propagator, kappa);
  std::vector<double> correlator = pion_correlator(propagator, {.direction = 2});
  for (double& value : correlator) value *= 4.0 * kappa * kappa / 64.0;
  test::expect_relatively_near(correlator, expected, 1e-12);
}

TEST(Wilson, ReproducesThePeriodicCorrelatorInZ) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    expect_correlator_in_z(io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 4}, .lanes = lanes}), path),
                           {2.23946028664745e-02, 2.05485346957700e-03, 6.96566865496375e-04, 2.17148162775779e-03});
  }
}

TEST(Wilson, ReproducesTheFreePeriodicCorrelatorInZ) {
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const GaugeField<double> links = test::unit_links<double>(Lattice({.extents = {4, 4, 4, 4}, .lanes = lanes}));
    expect_correlator_in_z(links,
                           {1.83008474327911e-02, 3.14850262023767e-03, 7.81590667980677e-04, 3.14850262023767e-03});
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
