// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>

// Several masses and shifts at once, against C++ to the digit.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr std::size_t systems = 3, sides = 2;

/// An operator and sources, in C and in C++.
struct Systems {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  OperatorHandle dirac;
  SpinorHandle b, fields[systems];
  kaon_spinor* x[systems];
  Quark<double> cpp_dirac;
  SpinorField<double> cpp_b;
  std::vector<SpinorField<double>> cpp_x;

  Systems(kaon_action action, FermionAction cpp_action)
      : cpp_dirac(make_quark(weak_links(), {.action = cpp_action, .mass = 0.2, .csw = 1.3})),
        cpp_b(cpp_dirac->make_field(sides)) {
    make_lattice(lattice, {4, 4, 4, 8});
    make_random_links(gauge, lattice);
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

TEST(CMultiSolver, DeflatesAllMassesAndShifts) {
  for (const kaon_systems kind : {KAON_MASSES, KAON_SHIFTS}) {
    const bool masses = kind == KAON_MASSES;
    const std::vector<double> values = masses ? std::vector{0.3, 0.1, 1.0} : std::vector{0.3, 0.0, 1.0};
    Systems s(masses ? KAON_STAGGERED : KAON_WILSON_CLOVER,
              masses ? FermionAction::staggered : FermionAction::wilson_clover);
    auto low = defaults(kaon_eigenvector_options_init);
    low.count = 4;
    kaon_solver_options options = with_inner(KAON_INNER_SINGLE);
    EigenvectorsHandle found;
    expect_ok(kaon_eigenvectors_find(s.dirac, &low, &found));
    options.eigenvectors = found;
    SolveOptions parameters{.tolerance = 1e-10, .inner = InnerPrecision::single};
    const auto find = [&](const LinearOperator<double>& matrix) {
      return std::make_shared<const Eigenvectors<double>>(find_eigenvectors<double>(matrix, {.count = low.count}));
    };
    parameters.eigenvectors =
        masses ? find(*s.cpp_dirac->normal_system(Parity::even)) : find(NormalOperator<double>(*s.cpp_dirac));
    if (masses) {
      s.expect_equal_solves(kind, values, options, MultiMassSolver(s.cpp_dirac, values, parameters));
    } else {
      s.expect_equal_solves(kind, values, options, NormalShiftSolver(s.cpp_dirac, values, parameters));
    }
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

// Systems of one parity, and S itself: zeros on the other parity, for any content of the fields.
TEST(CMultiSolver, SolvesSchurComplements) {
  const std::vector<double> shifts{0.3, 0.0, 1.0};
  Systems s(KAON_WILSON_CLOVER, FermionAction::wilson_clover);
  SpinorHandle product;
  make_spinor(product, s.lattice, sides);
  auto options = defaults(kaon_schur_options_init);
  EXPECT_EQ(options.form, KAON_SYMMETRIC);
  EXPECT_EQ(options.parity, KAON_EVEN);
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    for (const Parity parity : {Parity::even, Parity::odd}) {
      options.form = form == SchurForm::symmetric ? KAON_SYMMETRIC : KAON_ASYMMETRIC;
      options.parity = parity == Parity::even ? KAON_EVEN : KAON_ODD;
      MultiSolverHandle solver;
      expect_ok(kaon_multi_solver_create_schur(s.dirac, &options, systems, shifts.data(), nullptr, &solver));
      kaon_report reports[systems * sides];
      for (kaon_spinor* x : s.x) expect_ok(kaon_operator_apply(s.dirac, KAON_M, x, s.b));
      expect_ok(kaon_multi_solver_solve(solver, s.x, s.b, reports));

      SpinorField<double> whole = s.cpp_dirac->make_field(sides), part = whole.parity(parity);
      SpinorField<double> rest = whole.parity(parity == Parity::even ? Parity::odd : Parity::even);
      blas::set_zero(rest);
      const auto expect_same = [&](const kaon_spinor* found) {
        for (int k = 0; k < static_cast<int>(sides); ++k) EXPECT_EQ(values_of(found, k), whole.to_host(k));
      };
      const SchurParameters parameters{.form = form, .parity = parity};
      const Schur<double> schur(*s.cpp_dirac, parameters);
      std::vector<SpinorField<double>> cpp_x;
      for (std::size_t i = 0; i < systems; ++i) cpp_x.push_back(schur.make_field(sides));
      const SpinorField<double> cpp_b = s.cpp_b.parity(parity);
      NormalShiftSolver(s.cpp_dirac, parameters, shifts, {.tolerance = 1e-10, .inner = InnerPrecision::half})
          .solve(cpp_x, cpp_b);
      for (std::size_t i = 0; i < systems; ++i) {
        blas::copy(part, cpp_x[i]);
        expect_same(s.x[i]);
        for (std::size_t k = 0; k < sides; ++k) EXPECT_LE(reports[i * sides + k].residual, 1e-10);
      }
      for (const kaon_form kind : {KAON_M, KAON_M_DAGGER, KAON_M_DAGGER_M}) {
        if (kind == KAON_M) schur.apply(part, cpp_b);
        if (kind == KAON_M_DAGGER) schur.apply_dagger(part, cpp_b);
        if (kind == KAON_M_DAGGER_M) NormalOperator<double>(schur).apply(part, cpp_b);
        expect_ok(kaon_operator_apply_schur(s.dirac, &options, kind, product, s.b));
        expect_same(product);
      }
    }
  }
}

TEST(CMultiSolver, RefusesWrongSchurComplements) {
  Systems s(KAON_WILSON, FermionAction::wilson), staggered(KAON_STAGGERED, FermionAction::staggered);
  const double shifts[systems] = {0.3, 0.1, 1.0}, wrong[] = {-1.0};
  kaon_multi_solver* none = reinterpret_cast<kaon_multi_solver*>(8);
  auto options = defaults(kaon_schur_options_init);
  const auto create = [&](const kaon_operator* dirac, int count, const double* values) {
    return kaon_multi_solver_create_schur(dirac, &options, count, values, nullptr, &none);
  };
  expect_refusal(create(nullptr, 3, shifts), KAON_INVALID, "dirac is NULL");
  EXPECT_EQ(none, nullptr);
  expect_refusal(create(s.dirac, 0, shifts), KAON_INVALID, "count = 0");
  expect_refusal(create(s.dirac, 3, nullptr), KAON_INVALID, "shifts is NULL");
  expect_refusal(create(s.dirac, 1, wrong), KAON_INVALID, "shift 0 is -1");
  expect_refusal(create(staggered.dirac, 3, shifts), KAON_UNSUPPORTED, "for several masses");
  expect_refusal(kaon_multi_solver_create_schur(s.dirac, nullptr, 3, shifts, nullptr, nullptr), KAON_INVALID,
                 "solver is NULL");
  const auto apply = [&](int kind, kaon_spinor* out, const kaon_spinor* in) {
    return kaon_operator_apply_schur(s.dirac, &options, static_cast<kaon_form>(kind), out, in);
  };
  expect_refusal(apply(KAON_M, s.b, s.b), KAON_INVALID, "out is in");
  expect_refusal(apply(KAON_M, nullptr, s.b), KAON_INVALID, "out is NULL");
  expect_refusal(apply(KAON_M, s.x[0], nullptr), KAON_INVALID, "in is NULL");
  expect_refusal(apply(3, s.x[0], s.b), KAON_INVALID, "form of an operator = 3");
  expect_refusal(kaon_operator_apply_schur(nullptr, nullptr, KAON_M, s.x[0], s.b), KAON_INVALID, "dirac is NULL");
  options.form = 2;
  expect_refusal(create(s.dirac, 3, shifts), KAON_INVALID, "form of a Schur complement = 2");
  options.form = 0;
  options.parity = -1;
  expect_refusal(create(s.dirac, 3, shifts), KAON_INVALID, "parity = -1");
  options.size = 0;
  expect_refusal(create(s.dirac, 3, shifts), KAON_INVALID, "kaon_schur_options has");
}

TEST(CMultiSolver, SaysHowFarItCame) {
  Systems s(KAON_STAGGERED, FermionAction::staggered);
  kaon_solver_options options = with_inner(KAON_INNER_OUTER);
  options.max_iterations = 2;
  const double masses[systems] = {0.3, 0.1, 1.0};
  MultiSolverHandle solver;
  expect_ok(kaon_multi_solver_create(s.dirac, KAON_MASSES, systems, masses, &options, &solver));
  kaon_report reports[systems * sides];
  expect_refusal(kaon_multi_solver_solve(solver, s.x, s.b, reports), KAON_NOT_CONVERGED,
                 "the system of mass 0.3 missed the tolerance");
  for (const kaon_report& report : reports) {
    EXPECT_EQ(report.converged, 0);
    EXPECT_GT(report.residual, 1e-10);
  }
  expect_refusal(kaon_multi_solver_solve(solver, s.x, s.b, nullptr), KAON_NOT_CONVERGED, "missed the tolerance");
}

TEST(CMultiSolver, RefusesWrongCalls) {
  Systems s(KAON_STAGGERED, FermionAction::staggered), wilson(KAON_WILSON, FermionAction::wilson);
  const double values[systems] = {0.3, 0.1, 1.0};
  kaon_multi_solver* none = reinterpret_cast<kaon_multi_solver*>(8);
  const auto create = [&](const kaon_operator* dirac, int kind, int count, const double* masses,
                          const kaon_solver_options* options) {
    return kaon_multi_solver_create(dirac, static_cast<kaon_systems>(kind), count, masses, options, &none);
  };
  expect_refusal(create(nullptr, KAON_MASSES, 3, values, nullptr), KAON_INVALID, "dirac is NULL");
  EXPECT_EQ(none, nullptr);
  expect_refusal(kaon_multi_solver_create(s.dirac, KAON_MASSES, 3, values, nullptr, nullptr), KAON_INVALID,
                 "solver is NULL");
  expect_refusal(create(s.dirac, 2, 3, values, nullptr), KAON_INVALID, "systems = 2");
  expect_refusal(create(s.dirac, KAON_MASSES, 0, values, nullptr), KAON_INVALID, "count = 0");
  expect_refusal(create(s.dirac, KAON_MASSES, -1, values, nullptr), KAON_INVALID, "count = -1");
  expect_refusal(create(s.dirac, KAON_MASSES, 3, nullptr, nullptr), KAON_INVALID, "values is NULL");
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
  auto physics = defaults(kaon_operator_options_init);
  physics.mass = 0.1;
  OperatorHandle narrow;
  expect_ok(kaon_operator_create(single, &physics, &narrow));
  expect_refusal(create(narrow, KAON_SHIFTS, 3, values, nullptr), KAON_INVALID, "the operator is in single precision");
  EXPECT_EQ(none, nullptr);

  MultiSolverHandle solver;
  expect_ok(kaon_multi_solver_create(s.dirac, KAON_MASSES, systems, values, nullptr, &solver));
  expect_refusal(kaon_multi_solver_solve(nullptr, s.x, s.b, nullptr), KAON_INVALID, "solver is NULL");
  expect_refusal(kaon_multi_solver_solve(solver, nullptr, s.b, nullptr), KAON_INVALID, "x is NULL");
  expect_refusal(kaon_multi_solver_solve(solver, s.x, nullptr, nullptr), KAON_INVALID, "b is NULL");
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
