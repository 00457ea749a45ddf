// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/random.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cmath>
#include <complex>
#include <limits>

// Domain wall quarks of C against those of C++; solves_test.cpp has their operators and solves in five dimensions.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr int slices = 4;

/// Moebius quarks on weak links, in C.
struct InC {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  OperatorHandle dirac;

  explicit InC(int count = slices, kaon_precision precision = KAON_DOUBLE) {
    make_lattice(lattice, {4, 4, 4, 8});
    make_random_links(gauge, lattice, precision);
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

template <class T>
DomainWall<T> in_cpp(int count = slices) {
  return DomainWall<T>(weak_links<T>(), {.mass = 0.1, .m5 = 1.6, .slices = count, .b = 1.5, .c = 0.5});
}

TEST(CDomainWall, HasFieldsWithSlices) {
  const InC c;
  SpinorHandle spinor;
  make_spinor(spinor, c.lattice, 2, 4, KAON_DOUBLE, 3);
  auto found = defaults(kaon_spinor_options_init);
  EXPECT_EQ(found.slices, 1);
  expect_ok(kaon_spinor_get_options(spinor, &found));
  EXPECT_EQ(found.slices, 3);
  auto noise = defaults(kaon_source_options_init);
  noise.kind = KAON_GAUSSIAN_NOISE;
  noise.seed = 9;
  expect_ok(kaon_spinor_source(spinor, &noise));
  SpinorField<double> same(Lattice({.extents = {4, 4, 4, 8}}), {.right_hand_sides = 2, .slices = 3});
  set_gaussian(same, {.seed = 9});
  EXPECT_EQ(values_of(spinor, 1), same.to_host(1));
  set_values(spinor, 0, same.to_host(1));
  double norms[2];
  expect_ok(kaon_spinor_norm2(spinor, norms));
  EXPECT_EQ(norms[0], norms[1]);

  noise.kind = KAON_Z2_WALL_SOURCE;
  expect_refusal(kaon_spinor_source(spinor, &noise), KAON_INVALID, "needs a field of one slice, not of 3");
  auto smear = defaults(kaon_quark_smear_options_init);
  smear.width = 1.0;
  smear.steps = 1;
  expect_refusal(kaon_spinor_smear(spinor, c.gauge, &smear), KAON_INVALID, "one slice");
  kaon_spinor* none = nullptr;
  found.slices = 0;
  expect_refusal(kaon_spinor_create(c.lattice, &found, &none), KAON_INVALID, "at least one slice, got 0");
}

TEST(CDomainWall, HasTheMatrixB) {
  const InC c;
  SpinorHandle in, out;
  make_spinor(in, c.lattice, 1, 4, KAON_DOUBLE, slices);
  make_spinor(out, c.lattice, 1, 4, KAON_DOUBLE, slices);
  const DomainWall<double> dirac = in_cpp<double>();
  SpinorField<double> of_in = dirac.make_field(1), of_out = dirac.make_field(1);
  set_gaussian(of_in, {.seed = 2});
  set_values(in, 0, of_in.to_host());
  for (const bool dagger : {false, true}) {
    expect_ok(kaon_operator_apply_b(c.dirac, 0, dagger, out, in));
    dirac.apply_b(of_out, of_in, dagger);
    EXPECT_EQ(values_of(out, 0), of_out.to_host());
    expect_ok(kaon_operator_apply_b(c.dirac, 1, dagger, out, in));
    dirac.apply_b_inverse(of_out, of_in, dagger);
    EXPECT_EQ(values_of(out, 0), of_out.to_host());
  }
}

/// Operators with numbers of slices and with a mass for each chirality: the operator of exact one flavours.
TEST(CDomainWall, HasNumbersOfSlicesAndTwoMasses) {
  const InC c;
  const Numbers b{{1.46, 0.2}, {0.73, -0.1}, {1.1, 0.0}, {0.9, 0.3}}, d{{0.46, -0.3}, {-0.27, 0.1}, {0.2, 0.05}, {}};
  const auto* const of_b = reinterpret_cast<const double*>(b.data());
  const auto* const of_c = reinterpret_cast<const double*>(d.data());
  SpinorHandle in, out;
  make_spinor(in, c.lattice, 1, 4, KAON_DOUBLE, slices);
  make_spinor(out, c.lattice, 1, 4, KAON_DOUBLE, slices);
  const auto expect_same = [&](const kaon_operator_options& quarks, const DomainWallParameters& parameters) {
    OperatorHandle made;
    expect_ok(kaon_operator_create(c.gauge, &quarks, &made));
    const DomainWall<double> dirac(weak_links<double>(), parameters);
    SpinorField<double> of_in = dirac.make_field(1), of_out = dirac.make_field(1);
    set_gaussian(of_in, {.seed = 2});
    set_values(in, 0, of_in.to_host());
    expect_ok(kaon_operator_apply(made, KAON_M, out, in));
    dirac.apply(of_out, of_in);
    EXPECT_EQ(values_of(out, 0), of_out.to_host());
  };
  DomainWallParameters parameters{.mass = 0.1, .m5 = 1.6, .slices = slices, .b = 1.5, .c = 0.5};
  kaon_operator_options quarks = InC::quarks(slices);
  quarks.lower_mass = parameters.lower_mass.emplace(0.7);
  expect_same(quarks, parameters);
  quarks = InC::quarks(slices);
  parameters.lower_mass.reset();
  quarks.b_of_slices = of_b;
  parameters.b_of_slices = b;
  expect_same(quarks, parameters);  // one c
  quarks.c_of_slices = of_c;
  parameters.c_of_slices = d;
  expect_same(quarks, parameters);

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
  Numbers zero(slices);
  quarks.b_of_slices = reinterpret_cast<const double*>(zero.data());
  expect_refusal(kaon_operator_create(c.gauge, &quarks, &made), KAON_INVALID, "b of slice 0 is zero");
  quarks.action = KAON_WILSON;
  expect_refusal(kaon_operator_create(c.gauge, &quarks, &made), KAON_INVALID, "does not read it");
}

/// Propagators and their residual mass from a point source, as those of C++ with a solver of its own.
template <class T>
void check_walls(double tolerance, kaon_precision precision, int outer = -1) {
  const InC c(slices, precision);
  auto options = defaults(kaon_solver_options_init);
  options.tolerance = tolerance;
  options.outer = outer;
  SolverHandle solver;
  expect_ok(kaon_solver_create(c.dirac, &options, &solver));
  SpinorHandle eta, again;
  make_spinor(eta, c.lattice, 12, 4, precision);
  set_source(eta, KAON_POINT_SOURCES, 2);
  kaon_report reports[12];
  constexpr int times = 8;
  double current[times];
  kaon_spinor* found_fields[2];
  expect_ok(kaon_solver_propagate(solver, eta, "propagator,midpoint", found_fields, times, current, reports));
  const SpinorHandle q(found_fields[0]), midpoint(found_fields[1]);

  const DomainWall<T> dirac = in_cpp<T>();
  const SpinorParameters shape{.right_hand_sides = 12};
  SpinorField<T> of_eta(dirac.lattice(), shape);
  set_point_sources(of_eta, {.site = {0, 0, 0, 2}});
  SolveOptions solving{.tolerance = tolerance, .schur = SchurForm::asymmetric};
  if (outer == KAON_SINGLE) solving.outer = OuterPrecision::single;
  const auto expected_fields = propagate<T>(PropagatorSolver<T>(dirac, solving), of_eta);
  require_converged(expected_fields.solve);
  const SpinorField<T>&of_q = expected_fields.at("propagator"), &of_midpoint = expected_fields.at("midpoint");
  for (int k = 0; k < 12; ++k) {
    EXPECT_EQ(values_of(q, k), of_q.to_host(k));
    EXPECT_EQ(values_of(midpoint, k), of_midpoint.to_host(k));
  }
  EXPECT_EQ(std::vector(current, current + times), expected_fields.axial_current);
  for (const kaon_report& report : reports) {
    EXPECT_EQ(report.converged, 1);
    EXPECT_LE(report.residual, tolerance);
    EXPECT_GT(report.iterations, 0);
  }
  auto from = defaults(kaon_correlator_options_init);
  from.source_site[3] = 2;
  double found[8];
  expect_ok(kaon_residual_mass(midpoint, q, &from, 8, found));
  const std::vector<double> expected = residual_mass(pion_correlator(of_midpoint, {.source_site = {0, 0, 0, 2}}),
                                                     pion_correlator(of_q, {.source_site = {0, 0, 0, 2}}));
  EXPECT_EQ(std::vector(found, found + 8), expected);
  expect_refusal(kaon_residual_mass(midpoint, q, &from, 7, found), KAON_INVALID, "length = 7");
  const std::vector<double> vanishing = residual_mass(std::vector{0.0, 1e-320, 2.0}, std::vector{0.0, 1.0, 4.0});
  EXPECT_TRUE(std::isnan(vanishing[0]) && std::isnan(vanishing[1])) << "of correlators out of range";
  EXPECT_EQ(vanishing[2], 0.5);

  expect_ok(kaon_solver_propagate(solver, eta, nullptr, &again, 0, nullptr, nullptr));
  EXPECT_EQ(values_of(again, 7), values_of(q, 7));
}

TEST(CDomainWall, HasThePropagatorsOfCpp) {
  check_walls<double>(1e-10, KAON_DOUBLE);
  check_walls<float>(3e-6, KAON_SINGLE);
  check_walls<double>(3e-6, KAON_DOUBLE, KAON_SINGLE);
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
  auto wilson = defaults(kaon_operator_options_init);
  wilson.mass = 0.1;
  OperatorHandle plain;
  expect_ok(kaon_operator_create(c.gauge, &wilson, &plain));
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
  refuses(solver, nullptr, nullptr, "eta is NULL");
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
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
