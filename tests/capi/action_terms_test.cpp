// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/wilson.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

// Momenta, forces and steps of links by themselves.

namespace kaon::test {
namespace KAON_TEST_FILE {

Numbers of(const kaon_momenta* momenta) {
  Numbers values(36 * 256);
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_momenta_get(momenta, &array));
  return values;
}

Numbers of(const kaon_gauge* gauge) { return values_of(gauge, 256); }

struct Dynamics : Links {
  MomentaHandle momenta;
  kaon_gauge_action_options loops;
  kaon_operator_options quarks;
  kaon_quark_term_options options;

  explicit Dynamics(int reach = 1) : Links({4, 4, 4, 4}, reach) {
    expect_ok(kaon_momenta_create(lattice, &momenta));
    kaon_gauge_action_options_init(&loops);
    loops.beta = 3.0;
    loops.rectangle = -1.0 / 12.0;
    kaon_operator_options_init(&quarks);
    quarks.action = KAON_WILSON_CLOVER;
    quarks.kappa = 0.12;
    quarks.csw = 1.1;
    kaon_quark_term_options_init(&options);
    options.tolerance = options.force_tolerance = 1e-13;
    options.inner = KAON_INNER_OUTER;
  }
  void make_terms(TermHandle& of_loops, TermHandle& of_quarks) {
    expect_ok(kaon_action_term_create_gauge(&loops, &of_loops));
    expect_ok(kaon_action_term_create_quarks(&quarks, &options, &of_quarks));
  }
};

double value_of(kaon_action_term* term, const kaon_gauge* gauge) {
  double value = 0.0;
  expect_ok(kaon_action_term_value(term, gauge, &value));
  return value;
}

double energy_of(const kaon_momenta* momenta) {
  double energy = 0.0;
  expect_ok(kaon_momenta_energy(momenta, &energy));
  return energy;
}

TEST(CMomenta, AreThoseOfCpp) {
  Dynamics c;
  GaugeField<double> expected(Lattice({.extents = {4, 4, 4, 4}}));
  EXPECT_EQ(of(c.momenta), Numbers(36 * 256));
  set_gaussian_momenta(expected, 1.0, {.seed = 3, .stream = 8});
  expect_ok(kaon_momenta_draw(c.momenta, 3, 8));
  EXPECT_EQ(of(c.momenta), expected.to_host());
  EXPECT_EQ(energy_of(c.momenta), kinetic_energy(expected));
  // The way through an array in another order.
  Numbers even_odd(36 * 256);
  kaon_array array = array_of(nullptr);
  array.sites = KAON_EVEN_ODD;
  for (std::size_t mu = 0; mu < 4; ++mu) array.parts[mu] = even_odd.data() + mu * 9 * 256;
  expect_ok(kaon_momenta_get(c.momenta, &array));
  MomentaHandle again;
  expect_ok(kaon_momenta_create(c.lattice, &again));
  expect_ok(kaon_momenta_set(again, &array));
  EXPECT_LT(largest_difference(of(again), expected.to_host()), 1e-15);
  expect_ok(kaon_momenta_kick(again, c.gauge, -0.3));
  kick_momenta(expected, weak_links({4, 4, 4, 4}), -0.3);
  EXPECT_LT(largest_difference(of(again), expected.to_host()), 1e-15);
}

/// A term of quarks in C and in C++.
struct QuarkTerm {
  const char* name;
  kaon_operator_options quarks;
  kaon_quark_term_options options;
  std::shared_ptr<ActionTerm> expected;
};

kaon_operator_options quarks_of(kaon_action action, double mass) {
  auto quarks = defaults(kaon_operator_options_init);
  quarks.action = action;
  quarks.mass = mass;
  if (action == KAON_WILSON_CLOVER || action == KAON_TWISTED_CLOVER) quarks.csw = 1.1;
  if (action == KAON_DOMAIN_WALL) quarks.m5 = 1.6, quarks.slices = 4, quarks.b = 1.5, quarks.c = 0.5;
  return quarks;
}

std::vector<QuarkTerm> quark_terms() {
  using Set = std::function<void(kaon_operator_options&, kaon_quark_term_options&)>;
  std::vector<QuarkTerm> terms;
  const auto add = [&](const char* name, kaon_action action, double mass, const Set& set,
                       const std::shared_ptr<ActionTerm>& expected) {
    terms.push_back({name, quarks_of(action, mass), defaults(kaon_quark_term_options_init), expected});
    set(terms.back().quarks, terms.back().options);
  };
  const FermionParameters clover{.action = FermionAction::wilson_clover, .mass = 0.2, .csw = 1.1};
  FermionParameters twisted{.action = FermionAction::twisted_clover, .mass = 0.2, .mu = 0.05, .csw = 1.1};
  FermionParameters heavier = twisted;
  heavier.mu = 0.3;
  const auto wall = [](double mass) {
    return FermionParameters{
        .action = FermionAction::domain_wall, .mass = mass, .m5 = 1.6, .slices = 4, .b = 1.5, .c = 0.5};
  };
  const auto none = [](auto&, auto&) {};
  const RationalWilsonParameters rational{.flavors = 1.0, .range = {0.01, 100.0}};
  const auto one_flavor = [](auto&, auto& term) { term.flavors = 1.0, term.lowest = 0.01, term.highest = 100.0; };
  const TwoFlavorParameters ratio{.mu = 0.1, .numerator_mu = 0.4};
  const StaggeredPseudofermion of_hisq{.quarks = {{0.2, 2.0}, {0.6, -2.0}}, .naik_epsilon = -0.1};
  const StaggeredPseudofermion of_asqtad{.quarks = {{0.2, 2.0}}};
  using Pseudofermions = std::vector<StaggeredPseudofermion>;
  add("two flavours", KAON_WILSON_CLOVER, 0.2, none, std::make_shared<TwoFlavorAction>(clover));
  add(
      "ratio", KAON_WILSON_CLOVER, 0.2, [](auto&, auto& term) { term.mu = 0.1, term.numerator_mu = 0.4; },
      std::make_shared<TwoFlavorAction>(clover, ratio));
  add("one flavour", KAON_WILSON_CLOVER, 0.2, one_flavor, std::make_shared<RationalWilsonAction>(clover, rational));
  add(
      "twisted ratio", KAON_TWISTED_CLOVER, 0.2,
      [](auto& quarks, auto& term) { quarks.mu = 0.05, term.numerator_mu = 0.3; },
      std::make_shared<TwoFlavorRatioAction>(twisted, heavier));
  add("over Pauli-Villars fields", KAON_DOMAIN_WALL, 0.4, none,
      std::make_shared<TwoFlavorRatioAction>(wall(0.4), wall(1.0)));
  add(
      "domain wall ratio", KAON_DOMAIN_WALL, 0.1, [](auto&, auto& term) { term.heavier_mass = 0.4; },
      std::make_shared<TwoFlavorRatioAction>(wall(0.1), wall(0.4)));
  add("one domain wall flavour", KAON_DOMAIN_WALL, 0.3, one_flavor,
      std::make_shared<RationalWilsonAction>(wall(0.3), rational));
  add(
      "exact", KAON_DOMAIN_WALL, 0.3, [](auto&, auto& term) { term.flavors = 1.0, term.exact = 1; },
      std::make_shared<ExactOneFlavorAction>(wall(0.3)));
  add(
      "asqtad", KAON_ASQTAD, 0.2, [](auto& quarks, auto& term) { quarks.u0 = 0.9, term.flavors = 2.0; },
      std::make_shared<RationalStaggeredAction>(
          Pseudofermions{of_asqtad}, RationalStaggeredParameters{.links = StaggeredLinks::asqtad, .u0 = 0.9}));
  add(
      "HISQ ratio", KAON_HISQ, 0.2,
      [](auto& quarks, auto& term) { quarks.naik_epsilon = -0.1, term.flavors = 2.0, term.heavier_mass = 0.6; },
      std::make_shared<RationalStaggeredAction>(Pseudofermions{of_hisq}));
  return terms;
}

TEST(CActionTerms, DrawAndKickAsThoseOfCpp) {
  const Dynamics c(3);
  const GaugeField<double> links = weak_links({4, 4, 4, 4}, 3);
  const auto expect_same_draw = [&](kaon_action_term* term, ActionTerm& expected) {
    double drawn = 0.0;
    expect_ok(kaon_action_term_draw(term, c.gauge, 7, 2, &drawn));
    EXPECT_EQ(drawn, expected.draw(links, {.seed = 7, .stream = 2}));
  };
  const auto expect_same = [&](kaon_action_term* term, ActionTerm& expected) {
    expect_same_draw(term, expected);
    EXPECT_EQ(value_of(term, c.gauge), expected.value(links));
    double iterations = 0.0;
    MomentaHandle force;
    expect_ok(kaon_momenta_create(c.lattice, &force));
    expect_ok(kaon_action_term_kick(term, force, c.gauge, -0.1));
    GaugeField<double> matrices(links.lattice()), momenta(links.lattice());
    expected.add_force(matrices, links);
    kick_momenta(momenta, matrices, -0.1);
    EXPECT_EQ(of(force), momenta.to_host());
    expect_ok(kaon_action_term_iterations(term, &iterations));
    EXPECT_EQ(iterations, static_cast<double>(expected.iterations()));
  };
  TermHandle of_loops;
  expect_ok(kaon_action_term_create_gauge(&c.loops, &of_loops));
  GaugeAction loops(3.0, {.plaquette = 1.0 + 8.0 / 12.0, .rectangle = -1.0 / 12.0});
  expect_same(of_loops, loops);
  for (const QuarkTerm& quarks : quark_terms()) {
    SCOPED_TRACE(quarks.name);
    TermHandle term;
    expect_ok(kaon_action_term_create_quarks(&quarks.quarks, &quarks.options, &term));
    if (quarks.quarks.action == KAON_WILSON_CLOVER) {
      expect_same(term, *quarks.expected);
    } else {
      expect_same_draw(term, *quarks.expected);
    }
  }
}

// A leapfrog by hand, with the random numbers of trajectory 4.
TEST(CActionTerms, MakeATrajectoryOfHmc) {
  Dynamics c;
  HmcHandle hmc;
  auto options = defaults(kaon_hmc_options_init);
  options.length = 0.4;
  options.seed = 7;
  options.accept_all = 1;
  expect_ok(kaon_hmc_create(&options, &hmc));
  expect_ok(kaon_hmc_add_scale(hmc, 4, KAON_LEAPFROG));
  expect_ok(kaon_hmc_add_quarks(hmc, &c.quarks, &c.options));
  expect_ok(kaon_hmc_add_gauge_action(hmc, &c.loops));
  GaugeHandle by_hmc;
  make_random_links(by_hmc, c.lattice);
  kaon_trajectory_report report;
  expect_ok(kaon_hmc_trajectory(hmc, by_hmc, 4, &report));

  TermHandle loops, quarks;
  c.make_terms(loops, quarks);
  expect_ok(kaon_gauge_reunitarize(c.gauge));
  expect_ok(kaon_momenta_draw(c.momenta, 7, 8));
  double drawn[2];
  expect_ok(kaon_action_term_draw(quarks, c.gauge, 7, 8, &drawn[0]));
  expect_ok(kaon_action_term_draw(loops, c.gauge, 7, 9, &drawn[1]));
  const double before = energy_of(c.momenta) + drawn[0] + drawn[1];
  for (int step = 0; step < 4; ++step) {
    for (const bool second : {false, true}) {
      expect_ok(kaon_action_term_kick(quarks, c.momenta, c.gauge, 0.05));
      expect_ok(kaon_action_term_kick(loops, c.momenta, c.gauge, 0.05));
      if (!second) expect_ok(kaon_gauge_advance(c.gauge, c.momenta, 0.1));
    }
  }
  const double after = energy_of(c.momenta) + value_of(quarks, c.gauge) + value_of(loops, c.gauge);
  expect_ok(kaon_gauge_reunitarize(c.gauge));
  EXPECT_NEAR(after - before, report.delta_energy, 1e-8);
  EXPECT_GT(std::abs(report.delta_energy), 1e-4);
  EXPECT_LT(largest_difference(of(c.gauge), of(by_hmc)), 1e-11);
}

TEST(CActionTerms, SayWhatIsWrong) {
  Dynamics c;
  MomentaHandle none;
  expect_refusal(kaon_momenta_create(nullptr, &none), KAON_INVALID, "lattice is NULL");
  expect_refusal(kaon_momenta_create(c.lattice, nullptr), KAON_INVALID, "momenta is NULL");
  expect_ok(kaon_momenta_draw(c.momenta, 3, 0));
  Numbers values = of(c.momenta);
  for (auto& z : values) z *= std::complex<double>(0.0, -1.0);
  kaon_array array = array_of(values.data());
  expect_refusal(kaon_momenta_set(c.momenta, &array), KAON_INVALID, "give P = i H of Hermitian momenta H");
  array.inside = KAON_SPIN_COLOR;
  expect_refusal(kaon_momenta_set(c.momenta, &array), KAON_INVALID, "cannot have the order spin_color within a site");
  expect_refusal(kaon_momenta_get(nullptr, &array), KAON_INVALID, "momenta is NULL");
  expect_refusal(kaon_momenta_kick(c.momenta, c.gauge, std::nan("")), KAON_INVALID, "the weight nan");
  GaugeHandle single, elsewhere, far;
  make_random_links(single, c.lattice, KAON_SINGLE);
  expect_refusal(kaon_momenta_kick(c.momenta, single, 0.1), KAON_INVALID, "matrices is in single precision");
  expect_refusal(kaon_gauge_advance(single, c.momenta, 0.1), KAON_INVALID, "gauge is in single precision");
  expect_refusal(kaon_gauge_advance(c.gauge, c.momenta, INFINITY), KAON_INVALID, "the step inf");
  expect_refusal(kaon_gauge_advance(c.gauge, c.momenta, 1e200), KAON_INVALID, "links cannot be advanced by 1e+200");
  LatticeHandle other;
  make_lattice(other, {4, 4, 4, 8});
  make_random_links(elsewhere, other);
  expect_refusal(kaon_gauge_advance(elsewhere, c.momenta, 0.1), KAON_INVALID, "must lie on one lattice");
  expect_ok(kaon_gauge_create(c.lattice, KAON_DOUBLE, &far));
  expect_refusal(kaon_gauge_reunitarize(far), KAON_INVALID, "away from SU(3)");

  TermHandle loops, quarks, wrong;
  expect_refusal(kaon_action_term_create_gauge(nullptr, &wrong), KAON_INVALID, "options is NULL");
  expect_refusal(kaon_action_term_create_gauge(&c.loops, nullptr), KAON_INVALID, "term is NULL");
  expect_refusal(kaon_action_term_create_quarks(nullptr, nullptr, &wrong), KAON_INVALID, "quarks is NULL");
  kaon_quark_term_options options = c.options;
  options.method = KAON_GCR_DD;
  expect_refusal(kaon_action_term_create_quarks(&c.quarks, &options, &wrong), KAON_UNSUPPORTED, "KAON_GCR_DD");
  options.size = 1;
  expect_refusal(kaon_action_term_create_quarks(&c.quarks, &options, &wrong), KAON_INVALID, "size says 1");
  EXPECT_EQ(static_cast<kaon_action_term*>(wrong), nullptr);
  c.options.max_iterations = 2;
  c.make_terms(loops, quarks);
  double value = 0.0;
  expect_refusal(kaon_action_term_draw(quarks, single, 1, 1, &value), KAON_INVALID, "gauge is in single precision");
  expect_refusal(kaon_action_term_value(quarks, c.gauge, &value), KAON_INVALID, "draw them first");
  expect_refusal(kaon_action_term_kick(loops, c.momenta, elsewhere, 1.0), KAON_INVALID, "must lie on one lattice");
  expect_refusal(kaon_action_term_iterations(loops, nullptr), KAON_INVALID, "iterations is NULL");
  expect_ok(kaon_action_term_draw(quarks, c.gauge, 1, 1, &value));  // the draw of two flavours needs no solve
  const Numbers before = of(c.momenta);
  expect_refusal(kaon_action_term_value(quarks, c.gauge, &value), KAON_NOT_CONVERGED, "iterations");
  expect_refusal(kaon_action_term_kick(quarks, c.momenta, c.gauge, 1.0), KAON_NOT_CONVERGED, "iterations");
  EXPECT_EQ(of(c.momenta), before);
  kaon_action_term_destroy(nullptr);
  kaon_momenta_destroy(nullptr);
}

// Links of another lattice than that of the draw are refused, and leave the term as it is. A draw moves it there.
TEST(CActionTerm, IsOnTheLatticeOfItsDraw) {
  const Dynamics c(3);
  LatticeHandle other;
  GaugeHandle elsewhere;
  MomentaHandle there;
  make_lattice(other, {4, 4, 4, 8}, 3);
  make_random_links(elsewhere, other);
  expect_ok(kaon_momenta_create(other, &there));
  for (const QuarkTerm& quarks : quark_terms()) {
    if (quarks.quarks.action == KAON_DOMAIN_WALL || quarks.quarks.action == KAON_HISQ) continue;  // which take long
    SCOPED_TRACE(quarks.name);
    TermHandle term;
    expect_ok(kaon_action_term_create_quarks(&quarks.quarks, &quarks.options, &term));
    double value = 0.0;
    expect_ok(kaon_action_term_draw(term, c.gauge, 1, 1, &value));
    const double before = value_of(term, c.gauge);
    expect_refusal(kaon_action_term_value(term, elsewhere, &value), KAON_INVALID,
                   "were drawn on a lattice 4x4x4x4 and the links are on another one, 4x4x4x8: draw them");
    expect_refusal(kaon_action_term_kick(term, there, elsewhere, 1.0), KAON_INVALID, "draw them on these links first");
    EXPECT_EQ(value_of(term, c.gauge), before);
    expect_ok(kaon_action_term_draw(term, elsewhere, 1, 1, &value));
    EXPECT_NEAR(value_of(term, elsewhere), value, 1e-6 * std::abs(value));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
