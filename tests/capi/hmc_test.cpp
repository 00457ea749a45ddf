// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/wilson.hpp>

#include <cmath>
#include <complex>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using HmcHandle = Handle<kaon_hmc, kaon_hmc_destroy>;

kaon_operator_options clover_quarks() {
  kaon_operator_options options;
  kaon_operator_options_init(&options);
  options.action = KAON_WILSON_CLOVER;
  options.kappa = 0.12;
  options.csw = 1.1;
  return options;
}

void add_gauge_action(kaon_hmc* hmc, double beta, double rectangle = 0.0) {
  kaon_gauge_action_options options;
  kaon_gauge_action_options_init(&options);
  options.beta = beta;
  options.rectangle = rectangle;
  expect_ok(kaon_hmc_add_gauge_action(hmc, &options));
}

/// Two terms of quarks on one time scale, Iwasaki's action on another.
void make_hmc(HmcHandle& hmc) {
  kaon_hmc_options options;
  kaon_hmc_options_init(&options);
  options.length = 0.5;
  options.seed = 7;
  expect_ok(kaon_hmc_create(&options, &hmc));
  const kaon_operator_options quarks = clover_quarks();
  kaon_quark_term_options term;
  kaon_quark_term_options_init(&term);
  expect_ok(kaon_hmc_add_scale(hmc, 3, KAON_OMELYAN));
  term.numerator_mu = 0.4;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  term.numerator_mu = std::nan("");
  term.mu = 0.4;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  expect_ok(kaon_hmc_add_scale(hmc, 2, KAON_LEAPFROG));
  add_gauge_action(hmc, 2.6, -0.331);
}

TEST(CHybridMonteCarlo, GoesTheWayOfCpp) {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  HmcHandle hmc;
  make_lattice(lattice, {4, 4, 4, 8});
  make_random_links(gauge, lattice);
  make_hmc(hmc);

  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 8}}));
  set_weak(links, 0.3, {.seed = 5});
  const FermionParameters quarks{.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.12), .csw = 1.1};
  HybridMonteCarlo expected({{.terms = two_flavor_terms(quarks, std::vector<double>{0.4}), .steps = 3},
                             {.terms = {std::make_shared<GaugeAction>(2.6, iwasaki_weights)},
                              .steps = 2,
                              .integrator = Integrator::leapfrog}},
                            {.length = 0.5, .seed = 7});
  for (const std::uint32_t number : {4u, 5u}) {
    kaon_trajectory_report report;
    expect_ok(kaon_hmc_trajectory(hmc, gauge, number, &report));
    const TrajectoryReport of_cpp = expected.trajectory(links, number);
    EXPECT_EQ(report.delta_energy, of_cpp.delta_energy);
    EXPECT_EQ(report.accepted != 0, of_cpp.accepted);
    EXPECT_EQ(report.plaquette, of_cpp.plaquette);
    EXPECT_EQ(report.iterations, static_cast<double>(of_cpp.iterations));
    EXPECT_GT(report.seconds, 0.0);
  }
  double delta_energy = 0.0, difference = 0.0;
  expect_ok(kaon_hmc_reverse(hmc, gauge, 6, &delta_energy, &difference));
  const Reversal back = expected.reverse(links, 6);
  EXPECT_EQ(delta_energy, back.delta_energy);
  EXPECT_EQ(difference, back.links);
  std::vector<std::complex<double>> values(36 * 512);
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_gauge_get(gauge, &array));
  EXPECT_EQ(values, links.to_host());
}

// One flavour of clover quarks, and HISQ quarks over heavier ones.
TEST(CHybridMonteCarlo, HasRationalQuarks) {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  HmcHandle hmc;
  kaon_lattice_options shape;
  kaon_lattice_options_init(&shape);
  for (int mu = 0; mu < 4; ++mu) shape.extents[mu] = 4;
  shape.reach = 3;
  expect_ok(kaon_lattice_create(&shape, &lattice));
  make_random_links(gauge, lattice);
  kaon_hmc_options options;
  kaon_hmc_options_init(&options);
  options.length = 0.2;
  options.seed = 7;
  expect_ok(kaon_hmc_create(&options, &hmc));
  expect_ok(kaon_hmc_add_scale(hmc, 2, KAON_OMELYAN));
  kaon_operator_options quarks = clover_quarks();
  kaon_quark_term_options term;
  kaon_quark_term_options_init(&term);
  term.flavors = 1.0;
  term.lowest = 0.05;
  term.highest = 60.0;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  kaon_operator_options_init(&quarks);
  quarks.action = KAON_HISQ;
  quarks.mass = 0.2;
  quarks.naik_epsilon = -0.1;
  kaon_quark_term_options_init(&term);
  term.flavors = 2.0;
  term.heavier_mass = 0.6;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  add_gauge_action(hmc, 5.0);
  kaon_trajectory_report report;
  expect_ok(kaon_hmc_trajectory(hmc, gauge, 1, &report));

  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}, .reach = 3}));
  set_weak(links, 0.3, {.seed = 5});
  const auto clover = std::make_shared<RationalWilsonAction>(
      FermionParameters{.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.12), .csw = 1.1},
      RationalWilsonParameters{.flavors = 1.0, .range = {0.05, 60.0}});
  const auto hisq = std::make_shared<RationalStaggeredAction>(
      std::vector<StaggeredPseudofermion>{{.quarks = {{0.2, 2.0}, {0.6, -2.0}}, .naik_epsilon = -0.1}});
  HybridMonteCarlo expected({{.terms = {clover, hisq, std::make_shared<GaugeAction>(5.0)}, .steps = 2}},
                            {.length = 0.2, .seed = 7});
  const TrajectoryReport of_cpp = expected.trajectory(links, 1);
  EXPECT_EQ(report.delta_energy, of_cpp.delta_energy);
  EXPECT_EQ(report.plaquette, of_cpp.plaquette);
  EXPECT_LT(std::abs(report.delta_energy), 1.0);
}

// Ratios of twisted masses.
TEST(CHybridMonteCarlo, SplitsDeterminantsOfTwistedQuarks) {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  HmcHandle hmc;
  make_lattice(lattice, {4, 4, 4, 4});
  make_random_links(gauge, lattice);
  kaon_hmc_options options;
  kaon_hmc_options_init(&options);
  options.length = 0.2;
  options.seed = 7;
  expect_ok(kaon_hmc_create(&options, &hmc));
  expect_ok(kaon_hmc_add_scale(hmc, 2, KAON_OMELYAN));
  kaon_operator_options quarks = clover_quarks();
  quarks.action = KAON_TWISTED_CLOVER;
  kaon_quark_term_options term;
  kaon_quark_term_options_init(&term);
  quarks.mu = 0.05;
  term.numerator_mu = 0.3;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  quarks.mu = 0.3;
  term.numerator_mu = std::nan("");
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  add_gauge_action(hmc, 5.0);
  kaon_trajectory_report report;
  expect_ok(kaon_hmc_trajectory(hmc, gauge, 1, &report));

  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
  set_weak(links, 0.3, {.seed = 5});
  auto terms =
      two_flavor_terms({.action = FermionAction::twisted_clover, .mass = mass_from_kappa(0.12), .mu = 0.05, .csw = 1.1},
                       std::vector<double>{0.3});
  terms.push_back(std::make_shared<GaugeAction>(5.0));
  const TrajectoryReport of_cpp =
      HybridMonteCarlo({{.terms = terms, .steps = 2}}, {.length = 0.2, .seed = 7}).trajectory(links, 1);
  EXPECT_EQ(report.delta_energy, of_cpp.delta_energy);
  EXPECT_EQ(report.plaquette, of_cpp.plaquette);
  term.numerator_mu = 0.2;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_INVALID, "twisted masses 0.3 and 0.2");
  term.numerator_mu = 0.4;
  term.mu = 0.1;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_INVALID, "leave that of the term 0");
}

TEST(CHybridMonteCarlo, SaysWhatIsWrong) {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge, single;
  make_lattice(lattice, {4, 4, 4, 4});
  make_random_links(gauge, lattice);
  make_random_links(single, lattice, KAON_SINGLE);
  HmcHandle hmc;
  kaon_hmc_options options;
  kaon_hmc_options_init(&options);
  options.length = -1.0;
  expect_refusal(kaon_hmc_create(&options, &hmc), KAON_INVALID, "the length -1");
  options.size = 3;
  expect_refusal(kaon_hmc_create(&options, &hmc), KAON_INVALID, "size says 3");
  expect_ok(kaon_hmc_create(nullptr, &hmc));
  kaon_gauge_action_options action;
  kaon_gauge_action_options_init(&action);
  action.beta = 5.0;
  expect_refusal(kaon_hmc_add_gauge_action(hmc, &action), KAON_INVALID, "kaon_hmc_add_scale comes first");
  expect_refusal(kaon_hmc_trajectory(hmc, gauge, 0, nullptr), KAON_INVALID, "at least one time scale");
  expect_refusal(kaon_hmc_add_scale(hmc, 0, KAON_OMELYAN), KAON_INVALID, "0 steps of a time scale");
  expect_refusal(kaon_hmc_add_scale(hmc, 1, static_cast<kaon_integrator>(3)), KAON_INVALID, "integrator = 3");
  expect_ok(kaon_hmc_add_scale(hmc, 1, KAON_OMELYAN));
  expect_refusal(kaon_hmc_trajectory(hmc, gauge, 0, nullptr), KAON_INVALID, "time scale 0 has no term");
  kaon_gauge_action_options_init(&action);
  expect_refusal(kaon_hmc_add_gauge_action(hmc, &action), KAON_INVALID, "not beta = nan");
  expect_refusal(kaon_hmc_add_gauge_action(hmc, nullptr), KAON_INVALID, "options is NULL");
  kaon_operator_options quarks = clover_quarks();
  kaon_quark_term_options term;
  kaon_quark_term_options_init(&term);
  term.method = KAON_GCR_DD;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_UNSUPPORTED, "KAON_GCR_DD");
  kaon_operator_options_init(&quarks);
  quarks.action = KAON_HISQ;
  quarks.mass = 0.2;
  quarks.boundary[0] = 1.0;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, nullptr), KAON_INVALID, "periodic in space");
  term.method = KAON_AUTO;
  term.numerator_mu = 0.3;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_INVALID, "two flavours of Wilson and clover quarks");
  kaon_quark_term_options_init(&term);
  quarks = clover_quarks();
  term.heavier_mass = 1.0;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_INVALID, "heavier_mass is for staggered quarks and");
  kaon_quark_term_options_init(&term);
  term.flavors = 3.0;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_INVALID, "3 flavours by a rational function");
  term.flavors = 1.0;
  term.method = KAON_BICGSTAB;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), KAON_INVALID, "method = 2 of a rational function");
  kaon_quark_term_options_init(&term);
  quarks = clover_quarks();
  quarks.mass = 0.1;
  expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, nullptr), KAON_INVALID, "both mass and kappa");
  quarks = clover_quarks();
  term.method = KAON_AUTO;
  term.max_iterations = 2;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  expect_refusal(kaon_hmc_trajectory(hmc, gauge, 3, nullptr), KAON_NOT_CONVERGED, "trajectory 3: ");
  expect_refusal(kaon_hmc_trajectory(hmc, single, 3, nullptr), KAON_INVALID, "single precision");
  expect_refusal(kaon_hmc_trajectory(hmc, nullptr, 3, nullptr), KAON_INVALID, "gauge is NULL");
  expect_refusal(kaon_hmc_reverse(hmc, gauge, 3, nullptr, nullptr), KAON_INVALID, "delta_energy is NULL");
}

TEST(CHmc, HasMeansOfChains) {
  const double values[] = {1.0, 2.0};
  kaon_chain_report report;
  expect_ok(kaon_chain_mean(2, values, &report));
  EXPECT_EQ(report.mean, 1.5);
  EXPECT_TRUE(std::isnan(report.error));
  expect_refusal(kaon_chain_mean(0, values, &report), KAON_INVALID, "a mean of 0 numbers");
  expect_refusal(kaon_chain_mean(2, nullptr, &report), KAON_INVALID, "values is NULL");
  expect_refusal(kaon_chain_mean(2, values, nullptr), KAON_INVALID, "report is NULL");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
