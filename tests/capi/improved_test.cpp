// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/improved_staggered.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <string>

// Asqtad and HISQ from thin links alone.

namespace kaon::test {
namespace {

using Numbers = std::vector<std::complex<double>>;

struct Improved {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  OperatorHandle dirac;
  kaon_operator_options options;

  explicit Improved(kaon_action action, kaon_precision precision = KAON_DOUBLE, int reach = 3) {
    kaon_lattice_options of_lattice;
    kaon_lattice_options_init(&of_lattice);
    for (int& extent : of_lattice.extents) extent = 4;
    of_lattice.reach = reach;
    expect_ok(kaon_lattice_create(&of_lattice, &lattice));
    make_random_links(gauge, lattice, precision);
    kaon_operator_options_init(&options);
    options.action = action;
    options.mass = 0.1;
    options.u0 = 0.9;
    options.naik_epsilon = -0.2;
  }
};

void expect_operator(kaon_action action, const std::function<ImprovedLinks(const GaugeField<double>&)>& improve) {
  Improved c(action);
  expect_ok(kaon_operator_create(c.gauge, &c.options, &c.dirac));
  const Lattice lattice({.extents = {4, 4, 4, 4}, .reach = 3});
  GaugeField<double> links(lattice);
  set_weak(links, 0.3, {.seed = 5});
  const ImprovedLinks improved = improve(links);
  const ImprovedStaggered<double> dirac(improved.fat, improved.third,
                                        {.mass = 0.1, .third_weight = improved.third_weight});
  SpinorField<double> in = dirac.make_field(1), out = dirac.make_field(1);
  set_gaussian(in, {.seed = 4});
  dirac.apply(out, in);

  SpinorHandle b, x;
  make_spinor(b, c.lattice, 1, 1);
  make_spinor(x, c.lattice, 1, 1);
  Numbers values = in.to_host(0);
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_spinor_set(b, 0, &array));
  expect_ok(kaon_operator_apply(c.dirac, KAON_M, x, b));
  expect_ok(kaon_spinor_get(x, 0, &array));
  EXPECT_EQ(values, out.to_host(0));

  SolverHandle solver;
  expect_ok(kaon_solver_create(c.dirac, nullptr, &solver));
  kaon_report report;
  expect_ok(kaon_solver_solve(solver, x, b, &report));
  double residual = 1.0;
  expect_ok(kaon_operator_residual(c.dirac, x, b, &residual, nullptr));
  EXPECT_LE(residual, 1e-10);
}

TEST(CImproved, AsqtadIsThatOfCpp) {
  expect_operator(KAON_ASQTAD, [](const GaugeField<double>& links) { return asqtad_links(links, 0.9); });
}

TEST(CImproved, HisqIsThatOfCpp) {
  expect_operator(KAON_HISQ, [](const GaugeField<double>& links) { return hisq_links(links, -0.2); });
}

TEST(CImproved, RefusesWhatItCannotMake) {
  Improved single(KAON_HISQ, KAON_SINGLE);
  expect_refusal(kaon_operator_create(single.gauge, &single.options, &single.dirac), KAON_UNSUPPORTED, "in double");
  Improved no_u0(KAON_ASQTAD);
  no_u0.options.u0 = std::nan("");
  expect_refusal(kaon_operator_create(no_u0.gauge, &no_u0.options, &no_u0.dirac), KAON_INVALID, "u0 is not set");
  Improved near(KAON_HISQ, KAON_DOUBLE, 0);
  expect_refusal(kaon_operator_create(near.gauge, &near.options, &near.dirac), KAON_INVALID, "reach");
  Improved unknown(KAON_HISQ);
  unknown.options.action = 7;
  expect_refusal(kaon_operator_create(unknown.gauge, &unknown.options, &unknown.dirac), KAON_INVALID, "action");
}

}  // namespace
}  // namespace kaon::test
