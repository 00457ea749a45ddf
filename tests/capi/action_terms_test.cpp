// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/momenta.hpp>

#include <cmath>
#include <complex>

// Momenta, forces and steps of links by themselves.

namespace kaon::test {
namespace KAON_TEST_FILE {

using Numbers = std::vector<std::complex<double>>;
using MomentaHandle = Handle<kaon_momenta, kaon_momenta_destroy>;
using TermHandle = Handle<kaon_action_term, kaon_action_term_destroy>;
using HmcHandle = Handle<kaon_hmc, kaon_hmc_destroy>;

constexpr std::size_t numbers = 36 * 256;

Numbers of(const kaon_momenta* momenta) {
  Numbers values(numbers);
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_momenta_get(momenta, &array));
  return values;
}

Numbers of(const kaon_gauge* gauge) {
  Numbers values(numbers);
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_gauge_get(gauge, &array));
  return values;
}

struct Dynamics {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  MomentaHandle momenta;
  kaon_gauge_action_options loops;
  kaon_operator_options quarks;
  kaon_quark_term_options options;

  Dynamics() {
    make_lattice(lattice, {4, 4, 4, 4});
    make_random_links(gauge, lattice);
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
  EXPECT_EQ(of(c.momenta), Numbers(numbers));
  set_gaussian_momenta(expected, 1.0, {.seed = 3, .stream = 8});
  expect_ok(kaon_momenta_draw(c.momenta, 3, 8));
  EXPECT_EQ(of(c.momenta), expected.to_host());
  EXPECT_EQ(energy_of(c.momenta), kinetic_energy(expected));
  // The way through an array in another order.
  Numbers even_odd(numbers);
  kaon_array array = array_of(nullptr);
  array.sites = KAON_EVEN_ODD;
  for (std::size_t mu = 0; mu < 4; ++mu) array.parts[mu] = even_odd.data() + mu * 9 * 256;
  expect_ok(kaon_momenta_get(c.momenta, &array));
  MomentaHandle again;
  expect_ok(kaon_momenta_create(c.lattice, &again));
  expect_ok(kaon_momenta_set(again, &array));
  EXPECT_LT(largest_difference(of(again), expected.to_host()), 1e-15);
  expect_ok(kaon_momenta_kick(again, c.gauge, -0.3));
  GaugeField<double> links(expected.lattice());
  set_weak(links, 0.3, {.seed = 5});
  kick_momenta(expected, links, -0.3);
  EXPECT_LT(largest_difference(of(again), expected.to_host()), 1e-15);
}

// dS/dt = -sum Re Tr(P^dag F) for dU/dt = P U.
TEST(CActionTerms, HaveTheirDerivativeAsForce) {
  Dynamics c;
  TermHandle terms[2];
  c.make_terms(terms[0], terms[1]);
  expect_ok(kaon_momenta_draw(c.momenta, 3, 1));
  const Numbers p = of(c.momenta);
  for (kaon_action_term* term : {static_cast<kaon_action_term*>(terms[0]), static_cast<kaon_action_term*>(terms[1])}) {
    double drawn = 0.0;
    expect_ok(kaon_action_term_draw(term, c.gauge, 7, 2, &drawn));
    EXPECT_NEAR(value_of(term, c.gauge), drawn, 1e-10 * std::abs(drawn));
    MomentaHandle force;
    expect_ok(kaon_momenta_create(c.lattice, &force));
    expect_ok(kaon_action_term_kick(term, force, c.gauge, 1.0));
    const Numbers f = of(force);
    double slope = 0.0;
    for (std::size_t k = 0; k < numbers; ++k) slope -= (std::conj(p[k]) * f[k]).real();
    // Central differences of two steps, without their error of step^2.
    const auto difference = [&](double step) {
      double values[2];
      for (int side = 0; side < 2; ++side) {
        GaugeHandle moved;
        make_random_links(moved, c.lattice);
        expect_ok(kaon_gauge_advance(moved, c.momenta, side == 0 ? step : -step));
        values[side] = value_of(term, moved);
      }
      return (values[0] - values[1]) / (2.0 * step);
    };
    const double expected = (4.0 * difference(5e-4) - difference(1e-3)) / 3.0;
    EXPECT_NEAR(slope, expected, 1e-7 * std::abs(expected));
    EXPECT_GT(std::abs(slope), 1.0);
  }
  double iterations = 0.0;
  expect_ok(kaon_action_term_iterations(terms[1], &iterations));
  EXPECT_GT(iterations, 0.0);
}

// A leapfrog by hand, with the random numbers of trajectory 4.
TEST(CActionTerms, MakeATrajectoryOfHmc) {
  Dynamics c;
  HmcHandle hmc;
  kaon_hmc_options options;
  kaon_hmc_options_init(&options);
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
  expect_refusal(kaon_momenta_set(c.momenta, nullptr), KAON_INVALID, "array is NULL");
  expect_refusal(kaon_momenta_get(nullptr, &array), KAON_INVALID, "momenta is NULL");
  expect_refusal(kaon_momenta_draw(nullptr, 0, 0), KAON_INVALID, "momenta is NULL");
  expect_refusal(kaon_momenta_energy(c.momenta, nullptr), KAON_INVALID, "energy is NULL");
  expect_refusal(kaon_momenta_kick(c.momenta, c.gauge, std::nan("")), KAON_INVALID, "the weight nan");
  GaugeHandle single, elsewhere, far;
  make_random_links(single, c.lattice, KAON_SINGLE);
  expect_refusal(kaon_momenta_kick(c.momenta, single, 0.1), KAON_INVALID, "matrices is in single precision");
  expect_refusal(kaon_gauge_advance(single, c.momenta, 0.1), KAON_INVALID, "gauge is in single precision");
  expect_refusal(kaon_gauge_advance(c.gauge, nullptr, 0.1), KAON_INVALID, "momenta is NULL");
  expect_refusal(kaon_gauge_advance(c.gauge, c.momenta, INFINITY), KAON_INVALID, "the step inf");
  expect_refusal(kaon_gauge_advance(c.gauge, c.momenta, 1e200), KAON_INVALID, "links cannot be advanced by 1e+200");
  LatticeHandle other;
  make_lattice(other, {4, 4, 4, 8});
  make_random_links(elsewhere, other);
  expect_refusal(kaon_gauge_advance(elsewhere, c.momenta, 0.1), KAON_INVALID, "must lie on one lattice");
  expect_ok(kaon_gauge_create(c.lattice, KAON_DOUBLE, &far));
  expect_refusal(kaon_gauge_reunitarize(far), KAON_INVALID, "away from SU(3)");
  expect_refusal(kaon_gauge_reunitarize(nullptr), KAON_INVALID, "gauge is NULL");

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
  expect_refusal(kaon_action_term_draw(nullptr, c.gauge, 1, 1, &value), KAON_INVALID, "term is NULL");
  expect_refusal(kaon_action_term_draw(quarks, c.gauge, 1, 1, nullptr), KAON_INVALID, "value is NULL");
  expect_refusal(kaon_action_term_draw(quarks, single, 1, 1, &value), KAON_INVALID, "gauge is in single precision");
  expect_refusal(kaon_action_term_value(quarks, c.gauge, &value), KAON_INVALID, "draw them first");
  expect_refusal(kaon_action_term_value(loops, nullptr, &value), KAON_INVALID, "gauge is NULL");
  expect_refusal(kaon_action_term_kick(loops, nullptr, c.gauge, 1.0), KAON_INVALID, "momenta is NULL");
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
  Dynamics c;
  LatticeHandle other;
  GaugeHandle elsewhere;
  MomentaHandle there;
  make_lattice(other, {4, 4, 4, 8});
  make_random_links(elsewhere, other);
  expect_ok(kaon_momenta_create(other, &there));
  c.options.tolerance = 1e-8;
  const auto check = [&](const kaon_operator_options& quarks, const kaon_quark_term_options& options) {
    TermHandle term;
    expect_ok(kaon_action_term_create_quarks(&quarks, &options, &term));
    double value = 0.0;
    expect_ok(kaon_action_term_draw(term, c.gauge, 1, 1, &value));
    const double before = value_of(term, c.gauge);
    expect_refusal(kaon_action_term_value(term, elsewhere, &value), KAON_INVALID,
                   "were drawn on a lattice 4x4x4x4 and the links are on another one, 4x4x4x8: draw them");
    expect_refusal(kaon_action_term_kick(term, there, elsewhere, 1.0), KAON_INVALID, "draw them on these links first");
    EXPECT_EQ(value_of(term, c.gauge), before);
    expect_ok(kaon_action_term_draw(term, elsewhere, 1, 1, &value));
    EXPECT_NEAR(value_of(term, elsewhere), value, 1e-6 * std::abs(value));
    expect_refusal(kaon_action_term_value(term, c.gauge, &value), KAON_INVALID, "4x4x4x8 and the links are on another");
    expect_ok(kaon_action_term_draw(term, c.gauge, 1, 1, &value));
    EXPECT_NEAR(value_of(term, c.gauge), before, 1e-6 * std::abs(before));
  };
  check(c.quarks, c.options);
  kaon_quark_term_options rational = c.options;
  rational.flavors = 1.0;
  check(c.quarks, rational);
  kaon_operator_options twisted = c.quarks, staggered;
  twisted.action = KAON_TWISTED_MASS;
  twisted.mu = 0.2;
  twisted.csw = std::nan("");
  kaon_quark_term_options ratio = c.options;
  ratio.numerator_mu = 0.6;
  check(twisted, ratio);
  kaon_operator_options_init(&staggered);
  staggered.action = KAON_STAGGERED;
  staggered.mass = 0.3;
  check(staggered, c.options);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
