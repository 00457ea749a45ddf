// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/known_answers/propagators.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/observables.hpp>

namespace kaon {
namespace KAON_TEST_FILE {

/// A thermalised quenched field at beta = 6.0.
GaugeField<double> quenched_links(const Coordinates& extents) {
  GaugeField<double> links = test::unit_links<double>((Lattice({.extents = extents})));
  for (std::uint32_t k = 0; k < 20; ++k) update(links, {.beta = 6.0, .seed = 1, .update = k});
  return links;
}

/// Effective mass of the pion one slice before the middle of the lattice.
double pion_mass(const GaugeField<double>& links, double csw) {
  const WilsonClover<double> dirac(links, {.mass = mass_from_kappa(0.1324), .csw = csw});
  const SpinorField<double> sources = test::point_sources(links.lattice(), {0, 0, 0, 0});
  const auto correlator = pion_correlator(test::solve(dirac, sources, 1e-9));
  return effective_mass(correlator)[correlator.size() / 2 - 1].value();
}

// A positive c_sw makes the critical mass less negative, so that at one mass the pion is lighter. In quenched fields at
// beta = 6.0 the critical kappa is 0.1572 without clover term and 0.1352 with c_sw = 1.769 (hep-lat/9609035): at kappa
// = 0.1324 the quark is heavy without it and light with it. With the other sign, even c_sw = 1.769 would change little,
// since the critical mass has a quadratic term as well.
TEST(Clover, OfPositiveCoefficientMakesThePionLighter) {
  const GaugeField<double> links = quenched_links({8, 8, 8, 8});
  EXPECT_NEAR(plaquette(links).average, 0.5937, 0.005);
  const double without = pion_mass(links, 0.0);
  EXPECT_GT(pion_mass(links, -0.5), 1.01 * without);
  EXPECT_LT(pion_mass(links, 0.5), 0.97 * without);
  EXPECT_LT(pion_mass(links, 1.769), 0.7 * without);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
