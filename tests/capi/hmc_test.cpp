// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/smeared_term.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/wilson.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

kaon_operator_options clover_quarks() {
  auto options = defaults(kaon_operator_options_init);
  options.action = KAON_WILSON_CLOVER;
  options.kappa = 0.12;
  options.csw = 1.1;
  return options;
}

/// Two terms of quarks on one time scale, Iwasaki's action on another.
void make_hmc(HmcHandle& hmc) {
  auto options = defaults(kaon_hmc_options_init);
  options.length = 0.5;
  options.seed = 7;
  expect_ok(kaon_hmc_create(&options, &hmc));
  const kaon_operator_options quarks = clover_quarks();
  auto term = defaults(kaon_quark_term_options_init);
  expect_ok(kaon_hmc_add_scale(hmc, 3, KAON_OMELYAN));
  term.numerator_mu = 0.4;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  term.numerator_mu = std::nan("");
  term.mu = 0.4;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  expect_ok(kaon_hmc_add_scale(hmc, 2, KAON_LEAPFROG));
  auto loops = defaults(kaon_gauge_action_options_init);
  loops.beta = 2.6;
  loops.rectangle = -0.331;
  expect_ok(kaon_hmc_add_gauge_action(hmc, &loops));
}

TEST(CHybridMonteCarlo, GoesTheWayOfCpp) {
  const Links on;
  HmcHandle hmc;
  make_hmc(hmc);

  GaugeField<double> links = weak_links();
  const FermionParameters quarks{.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.12), .csw = 1.1};
  HybridMonteCarlo expected({{.terms = two_flavor_terms(quarks, std::vector<double>{0.4}), .steps = 3},
                             {.terms = {std::make_shared<GaugeAction>(2.6, iwasaki_weights)},
                              .steps = 2,
                              .integrator = Integrator::leapfrog}},
                            {.length = 0.5, .seed = 7});
  for (const std::uint32_t number : {4u, 5u}) {
    kaon_trajectory_report report;
    expect_ok(kaon_hmc_trajectory(hmc, on.gauge, number, &report));
    const TrajectoryReport of_cpp = expected.trajectory(links, number);
    EXPECT_EQ(report.delta_energy, of_cpp.delta_energy);
    EXPECT_EQ(report.accepted != 0, of_cpp.accepted);
    EXPECT_EQ(report.plaquette, of_cpp.plaquette);
    EXPECT_EQ(report.iterations, static_cast<double>(of_cpp.iterations));
    EXPECT_GT(report.seconds, 0.0);
  }
  double delta_energy = 0.0, difference = 0.0;
  expect_ok(kaon_hmc_reverse(hmc, on.gauge, 6, &delta_energy, &difference));
  const Reversal back = expected.reverse(links, 6);
  EXPECT_EQ(delta_energy, back.delta_energy);
  EXPECT_EQ(difference, back.links);
  EXPECT_EQ(values_of(on.gauge), links.to_host());
}

// Terms with the same smearing share their smeared links.
TEST(CHybridMonteCarlo, SmearsTheLinksOfQuarks) {
  const Links on;
  HmcHandle hmc;
  const kaon_operator_options quarks = clover_quarks();
  auto options = defaults(kaon_hmc_options_init);
  options.length = 0.5;
  expect_ok(kaon_hmc_create(&options, &hmc));
  expect_ok(kaon_hmc_add_scale(hmc, 3, KAON_OMELYAN));
  for (const double mu : {0.0, 0.4}) {
    auto term = defaults(kaon_quark_term_options_init);
    term.mu = mu;
    if (mu == 0.0) term.numerator_mu = 0.4;
    term.stout_levels = 2;
    for (int nu = 0; nu < 4; ++nu) term.stout_rho[nu] = 0.1 + 0.01 * nu;
    expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  }
  const FermionParameters physics{.action = FermionAction::wilson_clover, .mass = mass_from_kappa(0.12), .csw = 1.1};
  const StoutSmearing smearing{.rho = {0.1, 0.11, 0.1 + 0.01 * 2, 0.1 + 0.01 * 3}, .levels = 2};
  HybridMonteCarlo expected(
      {{.terms = smeared_terms(two_flavor_terms(physics, std::vector<double>{0.4}), smearing), .steps = 3}},
      {.length = 0.5});
  GaugeField<double> links = weak_links();
  kaon_trajectory_report report;
  expect_ok(kaon_hmc_trajectory(hmc, on.gauge, 1, &report));
  EXPECT_EQ(report.delta_energy, expected.trajectory(links, 1).delta_energy);
  EXPECT_EQ(values_of(on.gauge), links.to_host());
}

TEST(CHybridMonteCarlo, SaysWhatIsWrong) {
  const Links on;
  GaugeHandle single;
  make_random_links(single, on.lattice, KAON_SINGLE);
  HmcHandle hmc;
  auto options = defaults(kaon_hmc_options_init);
  options.length = -1.0;
  expect_refusal(kaon_hmc_create(&options, &hmc), KAON_INVALID, "the length -1");
  options.size = 3;
  expect_refusal(kaon_hmc_create(&options, &hmc), KAON_INVALID, "size says 3");
  options = defaults(kaon_hmc_options_init);
  options.forecast = -1;
  expect_refusal(kaon_hmc_create(&options, &hmc), KAON_INVALID, "forecast = -1");
  expect_ok(kaon_hmc_create(nullptr, &hmc));
  auto action = defaults(kaon_gauge_action_options_init);
  action.beta = 5.0;
  expect_refusal(kaon_hmc_add_gauge_action(hmc, &action), KAON_INVALID, "kaon_hmc_add_scale comes first");
  expect_refusal(kaon_hmc_trajectory(hmc, on.gauge, 0, nullptr), KAON_INVALID, "at least one time scale");
  expect_refusal(kaon_hmc_add_scale(hmc, 0, KAON_OMELYAN), KAON_INVALID, "0 steps of a time scale");
  expect_refusal(kaon_hmc_add_scale(hmc, 1, static_cast<kaon_integrator>(8)), KAON_INVALID, "integrator = 8");
  expect_ok(kaon_hmc_add_scale(hmc, 1, KAON_OMELYAN));
  expect_refusal(kaon_hmc_trajectory(hmc, on.gauge, 0, nullptr), KAON_INVALID, "time scale 0 has no term");
  kaon_gauge_action_options_init(&action);
  expect_refusal(kaon_hmc_add_gauge_action(hmc, &action), KAON_INVALID, "not beta = nan");
  expect_refusal(kaon_hmc_add_gauge_action(hmc, nullptr), KAON_INVALID, "options is NULL");
  action.beta = 5.0;
  action.one_loop_u0 = 0.9;
  action.rectangle = -0.1;
  expect_refusal(kaon_hmc_add_gauge_action(hmc, &action), KAON_INVALID, "one_loop_u0 = 0.9 and rectangle = -0.1");
  action.rectangle = 0.0;
  action.one_loop_u0 = -1.0;
  expect_refusal(kaon_hmc_add_gauge_action(hmc, &action), KAON_INVALID, "u0 = -1");
  const auto refuse = [&](kaon_status status, const char* text, kaon_action action, const auto& set) {
    kaon_operator_options quarks = clover_quarks();
    if (action != KAON_WILSON_CLOVER) {
      quarks = defaults(kaon_operator_options_init);
      quarks.action = action;
      quarks.mass = 0.2;
    }
    auto term = defaults(kaon_quark_term_options_init);
    set(quarks, term);
    expect_refusal(kaon_hmc_add_quarks(hmc, &quarks, &term), status, text);
  };
  const auto refuse_clover = [&](const char* text, const auto& set) {
    refuse(KAON_INVALID, text, KAON_WILSON_CLOVER, set);
  };
  const auto refuse_wall = [&](const char* text, const auto& set) {
    refuse(KAON_INVALID, text, KAON_DOMAIN_WALL, set);
  };
  refuse_clover("heavier_mass is for staggered quarks and", [](auto&, auto& term) { term.heavier_mass = 1.0; });
  refuse_clover("-1 levels of stout smearing", [](auto&, auto& term) {
    std::fill_n(term.stout_rho, 4, 0.1);
    term.stout_levels = -1;
  });
  refuse_clover("stout_rho without stout_levels", [](auto&, auto& term) { term.stout_rho[3] = 0.1; });
  refuse_clover("0 is possible for one direction", [](auto&, auto& term) { term.stout_levels = 1; });
  refuse_clover("3 flavours by a rational function", [](auto&, auto& term) { term.flavors = 3.0; });
  refuse_clover("method = 2 of a rational function",
                [](auto&, auto& term) { term.flavors = 1.0, term.method = KAON_BICGSTAB; });
  refuse_clover("both mass and kappa", [](auto& quarks, auto&) { quarks.mass = 0.1; });
  refuse(KAON_UNSUPPORTED, "KAON_GCR_DD", KAON_WILSON_CLOVER, [](auto&, auto& term) { term.method = KAON_GCR_DD; });
  refuse(KAON_INVALID, "periodic in space", KAON_HISQ, [](auto& quarks, auto&) { quarks.boundary[0] = 1.0; });
  refuse(KAON_INVALID, "two flavours of Wilson and clover quarks", KAON_HISQ,
         [](auto&, auto& term) { term.numerator_mu = 0.3; });
  refuse_wall("and for two flavours of domain wall quarks",
              [](auto&, auto& term) { term.flavors = 1.0, term.heavier_mass = 0.4; });
  refuse_wall("are for two flavours of Wilson and clover", [](auto&, auto& term) { term.numerator_mu = 0.3; });
  refuse_wall("the second one must be larger", [](auto&, auto& term) { term.heavier_mass = 0.2; });
  refuse_wall("exact is for one flavour of domain wall quarks", [](auto&, auto& term) { term.exact = 1; });
  refuse(KAON_UNSUPPORTED, "method: bicgstab does not solve for domain wall quarks", KAON_DOMAIN_WALL,
         [](auto&, auto& term) { term.method = KAON_BICGSTAB; });
  refuse(KAON_INVALID, "twisted masses 0.3 and 0.2", KAON_TWISTED_MASS,
         [](auto& quarks, auto& term) { quarks.mu = 0.3, term.numerator_mu = 0.2; });
  refuse(KAON_INVALID, "leave that of the term 0", KAON_TWISTED_MASS,
         [](auto& quarks, auto& term) { quarks.mu = 0.3, term.numerator_mu = 0.4, term.mu = 0.1; });
  const kaon_operator_options quarks = clover_quarks();
  auto term = defaults(kaon_quark_term_options_init);
  term.max_iterations = 2;
  expect_ok(kaon_hmc_add_quarks(hmc, &quarks, &term));
  expect_refusal(kaon_hmc_trajectory(hmc, on.gauge, 3, nullptr), KAON_NOT_CONVERGED, "trajectory 3: ");
  expect_refusal(kaon_hmc_trajectory(hmc, single, 3, nullptr), KAON_INVALID, "single precision");
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
