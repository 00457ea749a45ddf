// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/random.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>

// Several masses and shifts at once, against C++ to the digit.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr std::size_t systems = 3, sides = 2;

/// An operator and sources, in C and in C++.
struct Systems : Links {
  OperatorHandle dirac;
  SpinorHandle b, fields[systems];
  kaon_spinor* x[systems];
  Quark<double> cpp_dirac;
  SpinorField<double> cpp_b;
  std::vector<SpinorField<double>> cpp_x;

  Systems(kaon_action action, FermionAction cpp_action)
      : cpp_dirac(make_quark(weak_links(), {.action = cpp_action, .mass = 0.2, .csw = 1.3})),
        cpp_b(cpp_dirac->make_field(sides)) {
    auto options = defaults(kaon_operator_options_init);
    options.action = action;
    options.mass = 0.2;
    if (action == KAON_WILSON_CLOVER || action == KAON_TWISTED_CLOVER) options.csw = 1.3;
    expect_ok(kaon_operator_create(gauge, &options, &dirac));
    const int spins = cpp_dirac->domain().spins;
    make_spinor(b, lattice, sides, spins);
    set_gaussian(cpp_b, {.seed = 4});
    for (int k = 0; k < static_cast<int>(sides); ++k) {
      set_values(b, k, cpp_b.to_host(k));
    }
    for (std::size_t i = 0; i < systems; ++i) {
      make_spinor(fields[i], lattice, sides, spins);
      x[i] = fields[i];
      cpp_x.push_back(cpp_dirac->make_field(sides));
    }
  }

  /// Solves by both.
  template <class Solver>
  void expect_equal_solves(kaon_systems kind, const std::vector<double>& values, const kaon_solver_options& options,
                           const Solver& cpp_solver) {
    MultiSolverHandle solver;
    expect_ok(kaon_multi_solver_create(dirac, kind, static_cast<int>(values.size()), values.data(), &options, &solver));
    kaon_operator_destroy(&dirac);  // handles in any order
    kaon_report reports[systems * sides];
    expect_ok(kaon_multi_solver_solve(solver, x, b, reports));
    const std::vector<SolveResult> results = cpp_solver.solve(cpp_x, cpp_b);
    for (std::size_t i = 0; i < systems; ++i) {
      for (std::size_t k = 0; k < sides; ++k) {
        SCOPED_TRACE(std::to_string(i) + ", " + std::to_string(k));
        EXPECT_EQ(values_of(x[i], static_cast<int>(k)), cpp_x[i].to_host(static_cast<int>(k)));
        const kaon_report& report = reports[i * sides + k];
        EXPECT_EQ(report.converged, 1);
        EXPECT_EQ(report.iterations, results[i].right_hand_sides[k].iterations);
        EXPECT_EQ(report.residual, results[i].right_hand_sides[k].true_residual);
        EXPECT_LE(report.residual, options.tolerance);
        EXPECT_GT(report.seconds, 0.0);
      }
    }
  }
};

kaon_solver_options with_inner(int inner) {
  auto options = defaults(kaon_solver_options_init);
  options.inner = inner;
  return options;
}

TEST(CMultiSolver, FindsTheSolutionsOfCppForSeveralMasses) {
  const std::vector<double> masses{0.3, 0.1, 1.0};
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
    Systems s(KAON_STAGGERED, FermionAction::staggered);
    s.expect_equal_solves(KAON_MASSES, masses, with_inner(static_cast<int>(inner)),
                          MultiMassSolver(s.cpp_dirac, masses, {.tolerance = 1e-10, .inner = inner}));
  }
}

TEST(CMultiSolver, GivesTheLightestMassToMultigrid) {
  const std::vector<double> masses{0.3, 0.1, 1.0};
  Systems s(KAON_STAGGERED, FermionAction::staggered);
  kaon_solver_options options = with_inner(KAON_INNER_HALF);
  options.method = KAON_MULTIGRID;
  SolveOptions parameters{.tolerance = 1e-10, .method = KrylovMethod::multigrid};
  const MultiMassSolver solver(s.cpp_dirac, masses, parameters);
  EXPECT_EQ(solver.masses_by_multigrid(), 1U);
  s.expect_equal_solves(KAON_MASSES, masses, options, solver);
}

TEST(CMultiSolver, FindsTheSolutionsOfCppForSeveralShifts) {
  const std::vector<double> shifts{0.3, 0.0, 1.0};
  for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
    Systems s(KAON_WILSON_CLOVER, FermionAction::wilson_clover);
    s.expect_equal_solves(KAON_SHIFTS, shifts, with_inner(static_cast<int>(inner)),
                          NormalShiftSolver(s.cpp_dirac, shifts, {.tolerance = 1e-10, .inner = inner}));
  }
  Systems s(KAON_STAGGERED, FermionAction::staggered);
  s.expect_equal_solves(KAON_SHIFTS, shifts, with_inner(KAON_INNER_SINGLE),
                        NormalShiftSolver(s.cpp_dirac, shifts, {.tolerance = 1e-10, .inner = InnerPrecision::single}));
}

TEST(CMultiSolver, RefusesWrongSchurComplements) {
  Systems s(KAON_WILSON, FermionAction::wilson), staggered(KAON_STAGGERED, FermionAction::staggered);
  const double shifts[systems] = {0.3, 0.1, 1.0}, wrong[] = {-1.0};
  kaon_multi_solver* none = nullptr;
  auto options = defaults(kaon_schur_options_init);
  EXPECT_EQ(options.form, KAON_SYMMETRIC);
  EXPECT_EQ(options.parity, KAON_EVEN);
  const auto create = [&](const kaon_operator* dirac, int count, const double* values) {
    return kaon_multi_solver_create_schur(dirac, &options, count, values, nullptr, &none);
  };
  expect_refusal(create(s.dirac, 0, shifts), KAON_INVALID, "count = 0");
  expect_refusal(create(s.dirac, 1, wrong), KAON_INVALID, "shift 0 is -1");
  expect_refusal(create(staggered.dirac, 3, shifts), KAON_UNSUPPORTED, "for several masses");
  const auto apply = [&](int kind, kaon_spinor* out, const kaon_spinor* in) {
    return kaon_operator_apply_schur(s.dirac, &options, static_cast<kaon_form>(kind), out, in);
  };
  expect_refusal(apply(KAON_M, s.b, s.b), KAON_INVALID, "out is in");
  expect_refusal(apply(3, s.x[0], s.b), KAON_INVALID, "form of an operator = 3");
  options.form = 2;
  expect_refusal(create(s.dirac, 3, shifts), KAON_INVALID, "form of a Schur complement = 2");
  options.form = 0;
  options.parity = -1;
  expect_refusal(create(s.dirac, 3, shifts), KAON_INVALID, "parity = -1");
  options.size = 0;
  expect_refusal(create(s.dirac, 3, shifts), KAON_INVALID, "kaon_schur_options has");
}

TEST(CMultiSolver, RefusesWrongCalls) {
  Systems s(KAON_STAGGERED, FermionAction::staggered), wilson(KAON_WILSON, FermionAction::wilson);
  const double values[systems] = {0.3, 0.1, 1.0};
  kaon_multi_solver* none = nullptr;
  const auto create = [&](const kaon_operator* dirac, int kind, int count, const double* masses,
                          const kaon_solver_options* options) {
    return kaon_multi_solver_create(dirac, static_cast<kaon_systems>(kind), count, masses, options, &none);
  };
  expect_refusal(create(s.dirac, 2, 3, values, nullptr), KAON_INVALID, "systems = 2");
  expect_refusal(create(s.dirac, KAON_MASSES, 0, values, nullptr), KAON_INVALID, "count = 0");
  expect_refusal(create(s.dirac, KAON_MASSES, -1, values, nullptr), KAON_INVALID, "count = -1");
  expect_refusal(create(wilson.dirac, KAON_MASSES, 3, values, nullptr), KAON_UNSUPPORTED, "only staggered operators");
  const double wrong[] = {0.1, -0.5};
  expect_refusal(create(wilson.dirac, KAON_SHIFTS, 2, wrong, nullptr), KAON_INVALID, "shift 1 is -0.5");
  const double zero[] = {0.0};
  expect_refusal(create(s.dirac, KAON_MASSES, 1, zero, nullptr), KAON_INVALID, "mass 0 is 0");
  kaon_solver_options options = with_inner(KAON_INNER_SINGLE);
  options.method = KAON_BICGSTAB;
  expect_refusal(create(s.dirac, KAON_MASSES, 3, values, &options), KAON_INVALID, "method = KAON_BICGSTAB");
  options.method = KAON_MULTIGRID;
  expect_refusal(create(wilson.dirac, KAON_SHIFTS, 3, values, &options), KAON_INVALID, "method = KAON_MULTIGRID");
  options.near_null_file = "nowhere";
  expect_refusal(create(s.dirac, KAON_MASSES, 3, values, &options), KAON_FILE, "nowhere");
  options = with_inner(KAON_INNER_SINGLE);
  options.outer = KAON_SINGLE;
  expect_refusal(create(s.dirac, KAON_MASSES, 3, values, &options), KAON_INVALID, "outer precision = 1");
  options = with_inner(7);
  expect_refusal(create(s.dirac, KAON_MASSES, 3, values, &options), KAON_INVALID, "inner precision = 7");
  options = with_inner(KAON_INNER_SINGLE);
  options.near_null_file = "x";
  expect_refusal(create(s.dirac, KAON_MASSES, 3, values, &options), KAON_INVALID, "near_null_file");
  options.size = 0;
  expect_refusal(create(s.dirac, KAON_MASSES, 3, values, &options), KAON_INVALID, "kaon_solver_options has");
  GaugeHandle single;
  make_random_links(single, s.lattice, KAON_SINGLE);
  OperatorHandle narrow;
  make_operator(narrow, single);
  expect_refusal(create(narrow, KAON_SHIFTS, 3, values, nullptr), KAON_INVALID, "the operator is in single precision");
  EXPECT_EQ(none, nullptr);

  MultiSolverHandle solver;
  expect_ok(kaon_multi_solver_create(s.dirac, KAON_MASSES, systems, values, nullptr, &solver));
  kaon_spinor* x[systems] = {s.x[0], nullptr, s.x[2]};
  expect_refusal(kaon_multi_solver_solve(solver, x, s.b, nullptr), KAON_INVALID, "x[1] is NULL");
  x[1] = s.x[0];
  expect_refusal(kaon_multi_solver_solve(solver, x, s.b, nullptr), KAON_INVALID, "x[1] is x[0]");
  x[1] = s.b;
  expect_refusal(kaon_multi_solver_solve(solver, x, s.b, nullptr), KAON_INVALID, "x[1] is b");
  x[1] = wilson.x[1];
  expect_refusal(kaon_multi_solver_solve(solver, x, s.b, nullptr), KAON_INVALID, "must have the same lattice");
  expect_refusal(kaon_multi_solver_solve(solver, s.x, wilson.b, nullptr), KAON_INVALID, "must have the same lattice");
  kaon_multi_solver_destroy(nullptr);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
