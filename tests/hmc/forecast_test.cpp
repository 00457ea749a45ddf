// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/hmc/force_check.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <memory>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Terms = std::vector<std::shared_ptr<ActionTerm>>;

/// Terms of each form of a solve: N twice, N^dag N + mu^2, ratios of twisted and of domain wall quarks, an exact
/// flavour.
std::vector<Terms> all_terms(double force_tolerance) {
  const SolveOptions solver{.tolerance = 1e-11, .force_tolerance = force_tolerance};
  const FermionParameters walls{
      .action = FermionAction::domain_wall, .mass = 0.2, .m5 = 1.8, .slices = 4, .b = 1.5, .c = 0.5};
  const double hasenbusch[] = {0.4}, heavier[] = {0.6};
  return {
      two_flavor_terms({.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0}, hasenbusch, solver),
      two_flavor_terms({.action = FermionAction::twisted_mass, .mass = 0.1, .mu = 0.2}, heavier, solver),
      two_flavor_terms(walls, {}, solver),
      {std::make_shared<ExactOneFlavorAction>(walls, ExactOneFlavorParameters{.solver = solver})},
  };
}

HybridMonteCarlo with(const Terms& quarks, int forecast) {
  return HybridMonteCarlo({{quarks, 4}, {{std::make_shared<GaugeAction>(5.6)}, 3}},
                          {.length = 0.4, .seed = 5, .forecast = forecast});
}

// They start solves and leave the solutions: the same trajectory to the tolerance, with fewer iterations.
TEST(Forecast, SavesIterationsOfForces) {
  const GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  for (const Terms& quarks : all_terms(1e-11)) {
    SCOPED_TRACE(quarks[0]->name());
    std::vector<double> changes;
    long iterations = 0;
    for (const int forecast : {0, 4}) {
      const Reversal back = with(quarks, forecast).reverse(links, 1);
      EXPECT_LT(back.links, 1e-8);
      GaugeField<double> moved = links.clone();
      changes.push_back(with(quarks, forecast).trajectory(moved, 1).delta_energy);
      if (forecast == 0) {
        EXPECT_EQ(back.without_forecast, 0);
        iterations = back.iterations;
      } else {
        EXPECT_EQ(back.without_forecast, iterations);
        EXPECT_LT(back.iterations, iterations - iterations / 10);
      }
    }
    EXPECT_NEAR(changes[1], changes[0], 1e-7);
    EXPECT_NE(changes[1], changes[0]);
  }
}

// A trajectory has solutions of its own alone: a run that is resumed goes the same way.
TEST(Forecast, StartsAgainWithEachTrajectory) {
  for (const Terms& quarks : all_terms(1e-7)) {
    SCOPED_TRACE(quarks[0]->name());
    GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
    HybridMonteCarlo run = with(quarks, 3);
    run.trajectory(links, 1);
    GaugeField<double> resumed = links.clone();
    const double change = run.trajectory(links, 2).delta_energy;
    EXPECT_EQ(with(quarks, 3).trajectory(resumed, 2).delta_energy, change);
    EXPECT_EQ(resumed.to_host(), links.to_host());
  }
}

TEST(Forecast, RefusesNegativeNumbers) {
  KAON_EXPECT_ERROR(with({}, -1), "time scale 0 has no term");
  KAON_EXPECT_ERROR(HybridMonteCarlo({{{std::make_shared<GaugeAction>(5.6)}, 3}}, {.forecast = -1}),
                    "forecasts from -1 solutions");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
