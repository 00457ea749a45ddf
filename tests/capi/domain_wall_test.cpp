// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <cmath>
#include <limits>

// Domain wall quarks; solves_test.cpp has their operators and solves in five dimensions, tests/python their
// propagators.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr int slices = 4;

/// Moebius quarks on weak links, in C.
struct InC : Links {
  OperatorHandle dirac;

  explicit InC(int count = slices) {
    const kaon_operator_options options = quarks(count);
    expect_ok(kaon_operator_create(gauge, &options, &dirac));
  }
  static kaon_operator_options quarks(int count, double mass = 0.1) {
    auto options = defaults(kaon_operator_options_init);
    options.action = KAON_DOMAIN_WALL;
    options.mass = mass;
    options.m5 = 1.6;
    options.slices = count;
    options.b = 1.5;
    options.c = 0.5;
    return options;
  }
};

TEST(CDomainWall, HasNoiseInFiveDimensionsButNoWalls) {
  const InC c;
  SpinorHandle spinor;
  make_spinor(spinor, c.lattice, 2, 4, KAON_DOUBLE, 3);
  auto found = defaults(kaon_spinor_options_init);
  EXPECT_EQ(found.slices, 1);
  auto source = defaults(kaon_source_options_init);
  source.kind = KAON_GAUSSIAN_NOISE;
  source.seed = 9;
  expect_ok(kaon_spinor_source(spinor, &source));
  SpinorField<double> same(Lattice({.extents = {4, 4, 4, 8}}), {.right_hand_sides = 2, .slices = 3});
  set_gaussian(same, {.seed = 9});
  EXPECT_EQ(values_of(spinor, 1), same.to_host(1));
  source.kind = KAON_Z2_WALL_SOURCE;
  expect_refusal(kaon_spinor_source(spinor, &source), KAON_INVALID, "needs a field of one slice, not of 3");
  auto smear = defaults(kaon_quark_smear_options_init);
  smear.width = 1.0;
  smear.steps = 2;
  expect_refusal(kaon_spinor_smear(spinor, c.gauge, &smear), KAON_INVALID, "one slice");
  kaon_spinor* none = nullptr;
  found.slices = 0;
  expect_refusal(kaon_spinor_create(c.lattice, &found, &none), KAON_INVALID, "at least one slice, got 0");
}

TEST(CDomainWall, RefusesNumbersOfSlices) {
  const InC c;
  const Numbers b{{1.46, 0.2}, {0.73, -0.1}, {1.1, 0.0}, {0.9, 0.3}}, zero(slices);
  kaon_operator_options quarks = InC::quarks(slices);
  quarks.b_of_slices = reinterpret_cast<const double*>(b.data());
  OperatorHandle made;
  expect_ok(kaon_operator_create(c.gauge, &quarks, &made));
  SolverHandle solver;
  expect_ok(kaon_solver_create(made, nullptr, &solver));
  SpinorHandle eta, q;
  make_spinor(eta, c.lattice, 1);
  double current[8];
  expect_refusal(kaon_solver_propagate(solver, eta, nullptr, &q, 8, current, nullptr), KAON_INVALID,
                 "there is no propagator 'axial_current': quarks of this operator have propagator, midpoint");
  TermHandle term;
  expect_refusal(kaon_action_term_create_quarks(&quarks, nullptr, &term), KAON_INVALID,
                 "quarks of hybrid Monte Carlo have one b");
  quarks.b_of_slices = reinterpret_cast<const double*>(zero.data());
  expect_refusal(kaon_operator_create(c.gauge, &quarks, &made), KAON_INVALID, "b of slice 0 is zero");
  quarks.action = KAON_WILSON;
  expect_refusal(kaon_operator_create(c.gauge, &quarks, &made), KAON_INVALID, "does not read it");
}

TEST(CDomainWall, IsUpdatedToAnotherMass) {
  const InC c;
  SolverHandle solver, lighter;
  expect_ok(kaon_solver_create(c.dirac, nullptr, &solver));
  const kaon_operator_options quarks = InC::quarks(slices, 0.05);
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(c.gauge, &quarks, &dirac));
  expect_ok(kaon_solver_create(dirac, nullptr, &lighter));
  expect_ok(kaon_solver_update(solver, dirac));
  SpinorHandle eta, q, expected;
  make_spinor(eta, c.lattice, 1);
  set_source(eta, KAON_POINT_SOURCE);
  expect_ok(kaon_solver_propagate(solver, eta, "propagator", &q, 0, nullptr, nullptr));
  expect_ok(kaon_solver_propagate(lighter, eta, "propagator", &expected, 0, nullptr, nullptr));
  EXPECT_EQ(values_of(q, 0), values_of(expected, 0));
  const InC other(6);
  expect_refusal(kaon_solver_update(solver, other.dirac), KAON_INVALID,
                 "the spins and slices of the one before, 4 and 4, but the operator has 4 and 6");
}

TEST(CDomainWall, IsSolvedByMultigrid) {
  const InC c;
  const kaon_operator_options quarks = InC::quarks(slices, 0.05);
  OperatorHandle lighter;
  expect_ok(kaon_operator_create(c.gauge, &quarks, &lighter));
  auto options = defaults(kaon_solver_options_init);
  options.tolerance = 1e-9;
  options.method = KAON_MULTIGRID;
  SolverHandle solver;
  expect_ok(kaon_solver_create(c.dirac, &options, &solver));
  SpinorHandle b;
  make_spinor(b, c.lattice, 1, 4, KAON_DOUBLE, slices);
  set_source(b, KAON_GAUSSIAN_NOISE);
  options.method = KAON_CGNR;
  for (kaon_operator* dirac : {static_cast<kaon_operator*>(c.dirac), static_cast<kaon_operator*>(lighter)}) {
    SpinorHandle x, y;  // zero: solves start from them
    make_spinor(x, c.lattice, 1, 4, KAON_DOUBLE, slices);
    make_spinor(y, c.lattice, 1, 4, KAON_DOUBLE, slices);
    expect_ok(kaon_solver_update(solver, dirac));
    kaon_report report, of_cgnr;
    expect_ok(kaon_solver_solve(solver, x, b, &report));
    double residual = 1.0;
    expect_ok(kaon_operator_residual(dirac, x, b, &residual, nullptr));
    EXPECT_LE(residual, 1e-9);
    SolverHandle cgnr;
    expect_ok(kaon_solver_create(dirac, &options, &cgnr));
    expect_ok(kaon_solver_solve(cgnr, y, b, &of_cgnr));
    EXPECT_LT(2 * report.iterations, of_cgnr.iterations);
  }
}

TEST(CDomainWall, RefusesWhatItCannotDo) {
  const InC c, odd(5);
  kaon_operator* none = nullptr;
  const auto refuse = [&](auto set, const char* text) {
    kaon_operator_options quarks = InC::quarks(slices);
    set(quarks);
    expect_refusal(kaon_operator_create(c.gauge, &quarks, &none), KAON_INVALID, text);
  };
  refuse([](auto& o) { o.slices = 0; }, "at least one slice, not 0");
  refuse([](auto& o) { o.slices = -4; }, "at least one slice, not -4");
  refuse([](auto& o) { o.mass = std::nan(""); }, "neither mass nor kappa is set");
  refuse([](auto& o) { o.mass = std::numeric_limits<double>::infinity(); }, "must be numbers");
  refuse([](auto& o) { o.m5 = -1.8; }, "M5 = -1.8 of a domain wall operator is not positive");
  refuse([](auto& o) { o.b = 0.0; }, "b of slice 0 is zero");
  refuse([](auto& o) { o.c = std::nan(""); }, "must be numbers");
  refuse([](auto& o) { o.b = o.c = 1.0, o.mass = -1.0; }, "has no inverse");

  SpinorHandle flat, walls, image;
  make_spinor(flat, c.lattice, 1);
  make_spinor(walls, c.lattice, 1, 4, KAON_DOUBLE, slices);
  make_spinor(image, c.lattice, 1, 4, KAON_DOUBLE, slices);
  SpinorHandle five;
  make_spinor(five, c.lattice, 1, 4, KAON_DOUBLE, 5);
  expect_refusal(kaon_operator_apply(c.dirac, KAON_M, image, flat), KAON_INVALID, "slices");
  expect_refusal(kaon_operator_apply(c.dirac, KAON_M, five, five), KAON_INVALID, "4 slices");
  expect_refusal(kaon_operator_apply_b(c.dirac, 0, 0, five, five), KAON_INVALID,
                 "a matrix on 4 slices cannot act on a field of 5 slices");
  OperatorHandle plain;
  make_operator(plain, c.gauge);
  expect_refusal(kaon_operator_apply_b(plain, 0, 0, image, walls), KAON_UNSUPPORTED, "only a domain wall operator");

  SolverHandle solver, of_wilson, of_odd;
  expect_ok(kaon_solver_create(c.dirac, nullptr, &solver));
  expect_ok(kaon_solver_create(plain, nullptr, &of_wilson));
  expect_ok(kaon_solver_create(odd.dirac, nullptr, &of_odd));
  expect_refusal(kaon_solver_solve(solver, image, flat, nullptr), KAON_INVALID, "slices");
  const auto refuses = [](kaon_solver* by, const kaon_spinor* eta, const char* names, const char* text) {
    kaon_spinor* none[2] = {};
    expect_refusal(kaon_solver_propagate(by, eta, names, none, 0, nullptr, nullptr), KAON_INVALID, text);
    EXPECT_EQ(none[0], nullptr);
  };
  refuses(solver, walls, nullptr, "one of several slices");
  refuses(solver, flat, "", "names is empty");
  refuses(solver, flat, "midpoint,midpoint", "is wanted twice");
  refuses(solver, flat, "axial_current", "is not a field");
  refuses(of_wilson, flat, "midpoint", "there is no propagator 'midpoint': quarks of this operator have propagator");
  SpinorHandle odd_eta;
  make_spinor(odd_eta, odd.lattice, 1);
  refuses(of_odd, odd_eta, "propagator,midpoint", "there is no propagator 'midpoint'");
  auto options = defaults(kaon_solver_options_init);
  kaon_solver* refused = nullptr;
  for (const kaon_method method : {KAON_BICGSTAB, KAON_GCR_DD}) {
    options.method = method;
    expect_refusal(
        kaon_solver_create(c.dirac, &options, &refused), KAON_UNSUPPORTED,
        "does not solve for domain wall quarks and twisted doublets: take auto, multigrid, cgnr, cgne or block-cg");
  }
  const std::string path = ::testing::TempDir() + "c_five_dimensions.lime";
  SpinorHandle columns;
  make_spinor(columns, c.lattice, 12, 4, KAON_DOUBLE, slices);
  expect_refusal(kaon_propagator_write(columns, nullptr, path.c_str(), nullptr), KAON_FILE, "slice");
  double correlator[8];
  expect_refusal(kaon_pion_correlator(columns, nullptr, 8, correlator), KAON_INVALID, "one slice, not of 4");
  SpinorHandle q;
  make_spinor(q, c.lattice, 12);
  expect_refusal(kaon_residual_mass(q, q, nullptr, 7, correlator), KAON_INVALID, "length = 7");
  expect_refusal(kaon_pion_correlator(q, nullptr, 7, correlator), KAON_INVALID, "length = 7");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
