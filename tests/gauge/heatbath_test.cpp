// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/hmc/heatbath_kernels.hpp"
#include "tests/gauge/average_plaquette.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/observables.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(KennedyPendleton, DrawsFromItsDistribution) {
  // <a> = I_2/I_1 and <1 - a^2> = 3 I_2 / (alpha I_1) at alpha, by the integral form of Bessel's functions.
  for (const double alpha : {0.01, 0.5, 0.99, 1.0, 1.5, 4.0, 20.0, 200.0}) {
    detail::RandomSequence sequence({.seed = 1}, detail::Purpose::heatbath, 0, 0);
    constexpr int draws = 100000;
    double sum = 0.0, sum_2 = 0.0, rest = 0.0, rest_2 = 0.0;
    for (int draw = 0; draw < draws; ++draw) {
      const double delta = detail::draw_one_minus_a(alpha, sequence);
      ASSERT_GE(delta, 0.0);
      ASSERT_LE(delta, 2.0);
      sum += delta;
      sum_2 += delta * delta;
      rest += delta * (2.0 - delta);
      rest_2 += delta * (2.0 - delta) * delta * (2.0 - delta);
    }
    const double ratio = std::cyl_bessel_i(2.0, alpha) / std::cyl_bessel_i(1.0, alpha);
    const auto error = [&](double first, double second) {
      return std::sqrt((second / draws - first * first / draws / draws) / draws);
    };
    EXPECT_NEAR(sum / draws, 1.0 - ratio, 4.0 * error(sum, sum_2)) << "alpha = " << alpha;
    EXPECT_NEAR(rest / draws, 3.0 * ratio / alpha, 4.0 * error(rest, rest_2)) << "alpha = " << alpha;
  }
}

TEST(KennedyPendleton, DrawsTheSemicircleWithoutField) {
  detail::RandomSequence sequence({.seed = 2}, detail::Purpose::heatbath, 0, 0);
  constexpr int draws = 100000;
  double sum = 0.0, square = 0.0;
  for (int draw = 0; draw < draws; ++draw) {
    const double a = 1.0 - detail::draw_one_minus_a(0.0, sequence);
    sum += a;
    square += a * a;
  }
  EXPECT_NEAR(sum / draws, 0.0, 4.0 * std::sqrt(0.25 / draws));
  EXPECT_NEAR(square / draws, 0.25, 4.0 * std::sqrt(0.0625 / draws));
}

TEST(Overrelaxation, KeepsTheAction) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<double> links = weak_links<double>(lattice, 0.3, 1);
    const double before = plaquette(links).average;
    const reference::Links values = links.to_host();
    for (int sweep = 0; sweep < 3; ++sweep) overrelaxation_sweep(links);
    EXPECT_NEAR(plaquette(links).average, before, tolerance<double>);
    EXPECT_GT(largest_difference(links.to_host(), values), 0.1);
    expect_su3(links);
  }
}

TEST(Overrelaxation, KeepsTheActionWhereTheLatticeMeetsItself) {
  GaugeField<double> links = hot_links<double>(Lattice({.extents = {2, 2, 2, 2}}), 2);
  const double before = plaquette(links).average;
  overrelaxation_sweep(links);
  EXPECT_NEAR(plaquette(links).average, before, tolerance<double>);
}

TEST(Heatbath, DoesNotDependOnLanes) {
  auto [native, single] = random_in_all_lanes<double>();
  for (GaugeField<double>* links : {&native, &single}) {
    heatbath_sweep(*links, {.beta = 6.0, .seed = 4, .sweep = 5});
    overrelaxation_sweep(*links);
  }
  EXPECT_LT(largest_difference(native.to_host(), single.to_host()), 100.0 * tolerance<double>);
}

TEST(Heatbath, StaysInSu3) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<double> links = unit_links<double>(lattice);
    heatbath_sweep(links, {.beta = 5.7, .seed = 1, .sweep = 1});
    expect_su3(links);
  }
}

TEST(Heatbath, RefusesLinksThatAreNotInSu3) {
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
  KAON_EXPECT_ERROR(update(links, {.beta = 6.0}), "an update needs unitary links");
  set_random(links, {.seed = 6});
  fold_staggered_phases(links);
  KAON_EXPECT_ERROR(update(links, {.beta = 6.0}), "an update needs links in SU(3)");
}

TEST(Heatbath, GoesTheSameWayWhenResumed) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  GaugeField<double> links = hot_links<double>(lattice, 6);
  for (std::uint32_t k = 0; k < 3; ++k) update(links, {.beta = 6.0, .seed = 7, .update = k});
  GaugeField<double> resumed(lattice);
  resumed.from_host(links.to_host());
  for (std::uint32_t k = 3; k < 6; ++k) {
    update(links, {.beta = 6.0, .seed = 7, .update = k});
    update(resumed, {.beta = 6.0, .seed = 7, .update = k});
  }
  EXPECT_EQ(resumed.to_host(), links.to_host());
}

TEST(Heatbath, GoesAnotherWayWithAnotherSeedOrSweep) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto after = [&](const HeatbathParameters& parameters) {
    GaugeField<double> links = unit_links<double>(lattice);
    heatbath_sweep(links, parameters);
    return links.to_host();
  };
  const auto values = after({.beta = 6.0, .seed = 1, .sweep = 1});
  EXPECT_EQ(after({.beta = 6.0, .seed = 1, .sweep = 1}), values);
  EXPECT_NE(after({.beta = 6.0, .seed = 2, .sweep = 1}), values);
  EXPECT_NE(after({.beta = 6.0, .seed = 1, .sweep = 2}), values);
}

TEST(Heatbath, WithoutActionIsHaarsMeasure) {
  GaugeField<double> links = unit_links<double>(Lattice({.extents = {8, 8, 8, 8}}));
  for (std::uint32_t k = 0; k < 20; ++k) heatbath_sweep(links, {.beta = 0.0, .seed = 1, .sweep = k});
  // Variance of (1/3) Re Tr P is 1/18 for each of the 6 V plaquettes.
  EXPECT_NEAR(plaquette(links).average, 0.0, 4.0 / std::sqrt(18.0 * 6.0 * 4096.0));
}

TEST(Heatbath, InStrongCouplingFollowsTheExpansion) {
  // <P> = beta/18 + beta^2/216 + O(beta^4).
  GaugeField<double> links = hot_links<double>(Lattice({.extents = {8, 8, 8, 8}}), 1);
  constexpr double beta = 0.6;
  double sum = 0.0;
  constexpr std::uint32_t sweeps = 40, thermalisation = 10;
  for (std::uint32_t k = 0; k < sweeps; ++k) {
    heatbath_sweep(links, {.beta = beta, .seed = 1, .sweep = k});
    if (k >= thermalisation) sum += plaquette(links).average;
  }
  const double error = 1.0 / std::sqrt(18.0 * 6.0 * 4096.0 * (sweeps - thermalisation));
  EXPECT_NEAR(sum / (sweeps - thermalisation), beta / 18.0 + beta * beta / 216.0, 4.0 * error + 2e-4);
}

TEST(Heatbath, ReproducesThePlaquetteOfCoarseLattices) {
  const Average p = average_plaquette({8, 8, 8, 8}, 5.7, 40, 240);  // bins of 12: neighbours are alike
  EXPECT_NEAR(p.mean, 0.5492, 3.0 * p.error);
}

TEST(Heatbath, RefusesImpossibleBeta) {
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
  KAON_EXPECT_ERROR(heatbath_sweep(links, {.beta = -1.0}), "beta = -1 is not usable");
  KAON_EXPECT_ERROR(update(links, {.beta = 6.0, .overrelaxation_sweeps = -1}),
                    "an update cannot have -1 sweeps of overrelaxation");
  KAON_EXPECT_ERROR(heatbath_sweep(links, {.beta = std::nan("")}), "beta = nan is not usable");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
