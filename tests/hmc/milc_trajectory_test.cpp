// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/milc_rational_functions.hpp"
#include "tests/reference/site_random.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

// Trajectories of MILC's RHMC with its own random numbers: a field that it stored, the momenta and pseudofermions of
// its generators, its integrators, against the energies and plaquettes that it printed.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{6, 6, 6, 6};

struct Energies {
  double gauge, momenta, fermions;
  double sum() const { return gauge + momenta + fermions; }
};

/// A trajectory of MILC.
class Trajectory {
 public:
  Trajectory(const Lattice& lattice, const std::filesystem::path& file, const GaugeAction& gauge,
             RationalStaggeredAction quarks, std::uint32_t seed)
      : links_(lattice), momenta_(lattice), gauge_(gauge), quarks_(std::move(quarks)) {
    links_.from_host(reference::read_milc(file, extents));
    reunitarize(links_);
    auto generators = reference::site_generators(seed, extents);
    momenta_.from_host(reference::momenta(generators, extents));
    const auto count = static_cast<int>(quarks_.functions().size());
    SpinorField<double> eta(lattice, {.spins = 1, .subset = Subset::even, .right_hand_sides = count});
    for (int k = 0; k < count; ++k) {
      const reference::ColorField noise = reference::even_noise(generators, extents);
      eta.from_host(noise, k);
      double sum = 0.0;
      for (const auto& z : noise) sum += std::norm(z);
      sums_.push_back(sum);
    }
    start_ = quarks_.draw_from(links_, eta);
  }

  /// |eta|^2 of each pseudofermion
  const std::vector<double>& sums() const { return sums_; }
  double drawn() const { return start_; }
  Energies energies() { return {gauge_.value(links_), kinetic_energy(momenta_), quarks_.value(links_)}; }
  const GaugeField<double>& links() const { return links_; }

  /// Two steps: forces at lambda/2 and at 2 - lambda/2 of the first one.
  void omelyan(double step, double lambda) {
    drift(0.5 * step * lambda);
    kick(gauge_, step);
    kick(quarks_, step);
    drift(step * (2.0 - lambda));
    kick(gauge_, step);
    kick(quarks_, step);
    drift(0.5 * step * lambda);
    reunitarize(links_);
  }
  /// Two steps with three forces of the gauge action for one of the quarks in each.
  void three_to_one(double step, double alpha, double beta) {
    const double gauge[] = {1.0 / 6.0, 3.0 / 6.0, 5.0 / 6.0, 7.0 / 6.0, 9.0 / 6.0, 11.0 / 6.0};
    std::vector<std::pair<double, bool>> times{{0.5 - beta, false}, {1.5 + beta, false}};
    for (int i = 0; i < 6; ++i) times.emplace_back(gauge[i] + (i % 2 == 0 ? -alpha : alpha) / 3.0, true);
    std::sort(times.begin(), times.end());
    double now = 0.0;
    for (const auto& [time, is_gauge] : times) {
      drift(step * (time - now));
      now = time;
      if (is_gauge) {
        kick(gauge_, step / 3.0);
      } else {
        kick(quarks_, step);
      }
    }
    drift(step * (2.0 - now));
    reunitarize(links_);
  }

 private:
  void drift(double step) { advance_links(links_, momenta_, {.size = step, .order = 8}); }
  template <class Action>
  void kick(Action& action, double step) {
    GaugeField<double> matrices(links_.lattice());
    action.add_force(matrices, links_);
    kick_momenta(momenta_, matrices, step);
  }

  GaugeField<double> links_, momenta_;
  GaugeAction gauge_;
  RationalStaggeredAction quarks_;
  std::vector<double> sums_;
  double start_ = 0.0;
};

/// MILC's quarks: with its rational functions, or with kaon's of the same degrees of approximation.
std::vector<StaggeredPseudofermion> quarks_of(const std::vector<MilcPseudofermion>& file, bool own) {
  std::vector<StaggeredPseudofermion> quarks;
  for (const auto& [md, gr, fa] : file) {
    StaggeredPseudofermion pseudofermion;
    for (const auto& [exponent, shift] : md.factors) {
      pseudofermion.quarks.push_back({0.5 * std::sqrt(shift), -4.0 * exponent});
    }
    if (own) {
      const auto of_degree = [](const MilcRationalFunction& function) {
        const auto degree = static_cast<int>(function.fractions.shifts.size());
        return minimax_powers(function.factors, {1e-15, 90.0}, degree).partial_fractions();
      };
      pseudofermion.functions = {.draw = of_degree(gr), .value = of_degree(fa), .force = of_degree(md)};
    } else {
      pseudofermion.functions = {.draw = gr.fractions, .value = fa.fractions, .force = md.fractions};
    }
    quarks.push_back(pseudofermion);
  }
  return quarks;
}

/// To `relative` of each, and of the gauge action for the momenta, whose energy is a difference.
void expect_energies(const Energies& found, const Energies& expected, double relative) {
  EXPECT_NEAR(found.gauge, expected.gauge, relative * expected.gauge);
  EXPECT_NEAR(found.momenta, expected.momenta, relative * expected.gauge);
  EXPECT_NEAR(found.fermions, expected.fermions, relative * expected.fermions);
}

/// 3 times the mean plaquettes, as MILC prints them.
void expect_plaquettes(const GaugeField<double>& links, double spatial, double temporal, double tolerance) {
  const Plaquette found = plaquette(links);
  EXPECT_NEAR(3.0 * found.spatial, spatial, tolerance);
  EXPECT_NEAR(3.0 * found.temporal, temporal, tolerance);
}

// su3_omelyan_rhmc: beta = 6.5, u0 = 0.862, masses 0.01 (2 flavours) and 0.05, 12 steps of 0.01. MILC solves to 2e-7.
TEST(MilcTrajectory, OfAsqtadQuarks) {
  KAON_TEST_DATA_FILE(file, "staggered/lat.sample.l6666b650m010m050");
  KAON_TEST_DATA_FILE(functions, "staggered/milc_out/rationals.sample.su3_omelyan_rhmc");
  constexpr double u0 = 0.862;
  const GaugeAction gauge(6.5, one_loop_symanzik_weights(u0, 0.0));
  for (const bool own : {false, true}) {
    SCOPED_TRACE(own ? "kaon's rational functions" : "MILC's rational functions");
    Trajectory trajectory(
        Lattice({.extents = extents, .reach = 3}), file, gauge,
        RationalStaggeredAction(
            quarks_of(read_milc_rational_functions(functions), own),
            {.links = StaggeredLinks::asqtad, .u0 = u0, .solver = {.tolerance = 1e-11, .force_tolerance = 1e-11}}),
        3546789);
    EXPECT_NEAR(trajectory.sums()[0], 1.9073263765e3, 5e-8);
    const Energies start = trajectory.energies();
    expect_energies(start, {1.67770842632224e4, -9.36445561375845e1, 1.90732637646315e3}, 1e-11);
    EXPECT_NEAR(trajectory.drawn(), start.fermions, 1e-8);
    for (int step = 0; step < 12; step += 2) trajectory.omelyan(0.01, 0.8);
    const Energies end = trajectory.energies();
    // MILC's solves end at 2e-7, where its residuals of the shifts above the smallest are smaller still.
    expect_energies(end, {1.68225953748052e4, -1.32490078868306e2, 1.90066134701229e3}, 1e-9);
    EXPECT_NEAR(end.sum() - start.sum(), 5.594013e-4, 1e-5);
    expect_plaquettes(trajectory.links(), 1.6494264289351339, 1.6431807223641182, 1e-10);
  }
}

// su3_rhmc_hisq: beta = 7.4, u0 = 0.89, masses 0.0018 (2 flavours) and 0.018 over 0.2, and three of 0.2 each by itself;
// 10 steps of 0.02. MILC's forces are solved to 5e-4 and 5e-6.
TEST(MilcTrajectory, OfHisqQuarks) {
  KAON_TEST_DATA_FILE(file, "staggered/lat.sample.l6666.hisq");
  KAON_TEST_DATA_FILE(functions, "staggered/milc_out/rationals.sample.su3_rhmc_hisq");
  constexpr double u0 = 0.89, flavors = 3.0;
  const GaugeAction gauge(7.4, one_loop_symanzik_weights(u0, flavors));
  auto quarks = quarks_of(read_milc_rational_functions(functions), false);
  for (StaggeredPseudofermion& pseudofermion : quarks) {
    pseudofermion.solver = {.tolerance = 1e-10, .force_tolerance = 5e-6, .inner = InnerPrecision::outer};
  }
  quarks[0].solver = {.tolerance = 1e-10, .force_tolerance = 5e-4, .inner = InnerPrecision::outer};
  Trajectory trajectory(Lattice({.extents = extents, .reach = 3}), file, gauge,
                        RationalStaggeredAction(quarks, {.force_filter = 5e-5}), 86658);
  const double sums[] = {1963.6750556, 1902.7332579, 1932.8576806, 1936.3357347};
  for (std::size_t k = 0; k < std::size(sums); ++k) EXPECT_NEAR(trajectory.sums()[k], sums[k], 5e-8);
  const Energies start = trajectory.energies();
  expect_energies(start, {1.91689566918234e4, -8.03775303465063e1, 7.73560172845149e3}, 1e-9);
  for (int step = 0; step < 10; step += 2) trajectory.three_to_one(0.02, 0.1, 0.1);
  const Energies end = trajectory.energies();
  // With solves to 1e-10 the plaquettes change by 2e-8: the rest comes from the residuals of the larger shifts,
  // which MILC reduces further after they are below the tolerance.
  expect_energies(end, {1.89814618171498e4, 1.10640260690474e2, 7.73207879686826e3}, 1e-8);
  EXPECT_NEAR(end.sum() - start.sum(), -1.521986e-5, 2e-4);
  expect_plaquettes(trajectory.links(), 1.8590262183356623, 1.8640148066269224, 3e-9);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
