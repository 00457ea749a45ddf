// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/smeared_term.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/wilson.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Two flavours of clover quarks at beta = 5.6, kappa = 0.138, c_sw = 1.76 on 4^4, antiperiodic in time: tmLQCD states
// 0.5905(3) for the mean plaquette, in the sample input of its term CLOVERDET. 9000 trajectories of kaon gave
// 0.59076(21), and 6000 with a ratio of determinants 0.59027(20).
TEST(HybridMonteCarlo, HasThePlaquetteOfAnotherCode) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = hot_links<double>(lattice, 1);
  const auto quarks =
      two_flavor_terms({.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.138), .csw = 1.76});
  const std::vector<TimeScale> scales{{quarks, 6}, {{std::make_shared<GaugeAction>(5.6)}, 2}};
  HybridMonteCarlo start(scales, {.seed = 11, .accept_all = true}), hmc(scales, {.seed = 11});
  constexpr std::uint32_t first = 100, bin = 40, bins = 10;
  std::vector<double> means(bins, 0.0);
  double weight = 0.0;
  for (std::uint32_t n = 0; n < first + bins * bin; ++n) {
    const TrajectoryReport report = (n < 20 ? start : hmc).trajectory(links, n);
    if (n < first) continue;
    means[(n - first) / bin] += report.plaquette / bin;
    weight += std::exp(-report.delta_energy) / (bins * bin);
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / bins;
  double variance = 0.0;
  for (const double value : means) variance += (value - mean) * (value - mean) / (bins * (bins - 1));
  const double error = std::sqrt(variance + 0.0003 * 0.0003);
  EXPECT_NEAR(mean, 0.5905, 3.0 * error);
  EXPECT_LT(error, 0.0015);
  EXPECT_NEAR(weight, 1.0, 0.03);
}

// <exp(-dH)> = 1 in equilibrium if trajectories are reversible and conserve the volume of phase space.
TEST(SmearedTerm, KeepsDetailedBalance) {
  GaugeField<double> links = hot_links<double>(Lattice({.extents = {4, 4, 4, 4}}), 1);
  const auto quarks = smeared_terms(two_flavor_terms({.action = FermionAction::wilson_clover, .mass = 0.2, .csw = 1.0}),
                                    {.rho = {0.125, 0.125, 0.125, 0.125}, .levels = 2});
  const std::vector<TimeScale> scales{{quarks, 4}, {{std::make_shared<GaugeAction>(5.4)}, 2}};
  HybridMonteCarlo start(scales, {.seed = 11, .accept_all = true}), hmc(scales, {.seed = 11});
  constexpr std::uint32_t first = 20, count = 100;
  double mean = 0.0, square = 0.0;
  for (std::uint32_t n = 0; n < first + count; ++n) {
    const double weight = std::exp(-(n < 10 ? start : hmc).trajectory(links, n).delta_energy);
    if (n < first) continue;
    mean += weight / count;
    square += weight * weight / count;
  }
  const double error = std::sqrt((square - mean * mean) / count);
  EXPECT_LT(error, 0.08);
  EXPECT_NEAR(mean, 1.0, 4.0 * error);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
