// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>

#include <cmath>
#include <complex>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Numbers = std::vector<std::complex<double>>;

kaon_source_options source_options(int kind) {
  kaon_source_options options;
  kaon_source_options_init(&options);
  options.kind = kind;
  return options;
}

TEST(CSmearing, EqualsThatOfCpp) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  expect_ok(kaon_gauge_start(gauge, KAON_HOT, 7, 0.0));
  SpinorHandle spinor;
  make_spinor(spinor, lattice, 1);
  const kaon_source_options point = source_options(KAON_POINT_SOURCE);
  expect_ok(kaon_spinor_source(spinor, &point));
  kaon_quark_smear_options options;
  kaon_quark_smear_options_init(&options);
  expect_refusal(kaon_spinor_smear(spinor, gauge, &options), KAON_INVALID, "width");
  options.width = 2.0;
  options.steps = 5;
  expect_refusal(kaon_spinor_smear(spinor, nullptr, &options), KAON_INVALID, "gauge is NULL");
  expect_refusal(kaon_spinor_smear(nullptr, gauge, &options), KAON_INVALID, "spinor is NULL");
  expect_refusal(kaon_spinor_smear(spinor, gauge, nullptr), KAON_INVALID, "options is NULL");
  expect_ok(kaon_spinor_smear(spinor, gauge, &options));
  Numbers found(12 * 512);
  const kaon_array array = array_of(found.data());
  expect_ok(kaon_spinor_get(spinor, 0, &array));

  const Lattice same({.extents = {4, 4, 4, 8}});
  GaugeField<double> links(same);
  set_random(links, {.seed = 7});
  SpinorField<double> chi(same);
  set_point_source(chi, {});
  gaussian_smear(chi, links, {.width = 2.0, .steps = 5});
  EXPECT_EQ(found, chi.to_host());
}

TEST(CSums, AreOverTheProcessesOfALattice) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  double values[2] = {1.5, -2.0};
  expect_ok(kaon_lattice_sum(lattice, 2, values));
  EXPECT_EQ(values[0], 1.5);
  EXPECT_EQ(values[1], -2.0);
  expect_ok(kaon_lattice_sum(lattice, 0, nullptr));
  expect_refusal(kaon_lattice_sum(lattice, 1, nullptr), KAON_INVALID, "values is NULL");
  expect_refusal(kaon_lattice_sum(nullptr, 1, values), KAON_INVALID, "lattice is NULL");
}

TEST(CRunInfo, NamesTheBuildAndTheDevice) {
  kaon_run_info info;
  kaon_run_info_init(&info);
  expect_refusal(kaon_run_get(&info), KAON_INVALID, "has not been started");
  const Started started;
  expect_refusal(kaon_run_get(nullptr), KAON_INVALID, "info is NULL");
  expect_ok(kaon_run_get(&info));
  EXPECT_GT(std::string(info.device).size(), 0u);
  EXPECT_GT(std::string(info.compiler).size(), 0u);
  EXPECT_GE(info.host_threads, 1);
  EXPECT_EQ(info.processes, 1);
}

/// The residuals of the iterations, in a context of the caller.
int remember(int iteration, int right_hand_sides, const double* residuals, void* context) {
  auto& history = *static_cast<std::vector<double>*>(context);
  EXPECT_EQ(iteration, static_cast<int>(history.size()) + 1);
  EXPECT_EQ(right_hand_sides, 1);
  history.push_back(residuals[0]);
  return 1;
}

TEST(CProgress, ToldAfterEachIteration) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  expect_ok(kaon_gauge_start(gauge, KAON_WEAK, 7, 0.1));
  kaon_operator_options physics;
  kaon_operator_options_init(&physics);
  physics.mass = 0.2;
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  std::vector<double> history;
  kaon_solver_options options;
  kaon_solver_options_init(&options);
  options.tolerance = 1e-6;
  options.inner = KAON_INNER_OUTER;
  options.on_iteration = remember;
  options.on_iteration_context = &history;
  SolverHandle solver;
  expect_ok(kaon_solver_create(dirac, &options, &solver));
  SpinorHandle x, b;
  make_spinor(x, lattice, 1);
  make_spinor(b, lattice, 1);
  const kaon_source_options point = source_options(KAON_POINT_SOURCE);
  expect_ok(kaon_spinor_source(b, &point));
  kaon_report report;
  expect_ok(kaon_solver_solve(solver, x, b, &report));
  ASSERT_EQ(static_cast<int>(history.size()), report.iterations);
  EXPECT_LT(history.back(), 1e-6);
  EXPECT_GT(history.front(), history.back());
}

/// Ends a solve at its call number `last`.
struct Until {
  int last;
  int calls = 0;
  static int tell(int, int, const double*, void* context) {
    auto& until = *static_cast<Until*>(context);
    return ++until.calls < until.last ? 1 : 0;
  }
};

struct Method {
  kaon_method method;
  kaon_action action;
  int outer, inner;
};

// All methods: the best x, whose residual the report has, and a solver that solves again.
TEST(CProgress, EndsASolve) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  expect_ok(kaon_gauge_start(gauge, KAON_WEAK, 7, 0.3));
  for (const Method& of :
       {Method{KAON_BICGSTAB, KAON_WILSON, -1, KAON_INNER_HALF},
        Method{KAON_BICGSTAB, KAON_WILSON, -1, KAON_INNER_OUTER}, Method{KAON_AUTO, KAON_WILSON, -1, KAON_INNER_HALF},
        Method{KAON_AUTO, KAON_WILSON, KAON_SINGLE, KAON_INNER_HALF},
        Method{KAON_CGNR, KAON_WILSON, -1, KAON_INNER_SINGLE}, Method{KAON_CG, KAON_STAGGERED, -1, KAON_INNER_HALF},
        Method{KAON_GCR_DD, KAON_WILSON, -1, KAON_INNER_SINGLE}, Method{KAON_GCR_DD, KAON_WILSON, -1, KAON_INNER_OUTER},
        Method{KAON_MULTIGRID, KAON_WILSON, -1, KAON_INNER_HALF},
        Method{KAON_MULTIGRID, KAON_WILSON, KAON_SINGLE, KAON_INNER_HALF}}) {
    SCOPED_TRACE(std::to_string(of.method) + " " + std::to_string(of.outer) + " " + std::to_string(of.inner));
    kaon_operator_options physics;
    kaon_operator_options_init(&physics);
    physics.action = of.action;
    physics.mass = 0.2;
    OperatorHandle dirac;
    expect_ok(kaon_operator_create(gauge, &physics, &dirac));
    Until until{2};
    kaon_solver_options options;
    kaon_solver_options_init(&options);
    options.method = of.method;
    options.outer = of.outer;
    options.inner = of.inner;
    options.tolerance = of.outer == KAON_SINGLE ? 1e-6 : 1e-10;
    options.on_iteration = Until::tell;
    options.on_iteration_context = &until;
    SolverHandle solver;
    expect_ok(kaon_solver_create(dirac, &options, &solver));
    EXPECT_EQ(until.calls, 0);
    const int spins = of.action == KAON_STAGGERED ? 1 : 4;
    const int sides = of.method == KAON_MULTIGRID ? 14 : 2;  // of which multigrid solves 12 at once
    SpinorHandle b;
    make_spinor(b, lattice, sides, spins);
    std::vector<std::complex<double>> noise(static_cast<std::size_t>(512 * 3 * spins));
    for (int k = 0; k < sides; ++k) {
      for (std::size_t i = 0; i < noise.size(); ++i)
        noise[i] = std::sin(static_cast<double>((i + 7) * (i + 3) % 1009) + k);
      const kaon_array array = array_of(noise.data());
      expect_ok(kaon_spinor_set(b, k, &array));
    }
    kaon_report reports[14];
    double residuals[14];
    const auto solve = [&](int last) {
      SpinorHandle zero;
      make_spinor(zero, lattice, sides, spins);
      until = {last};
      const kaon_status status = kaon_solver_solve(solver, zero, b, reports);
      expect_ok(kaon_operator_residual(dirac, zero, b, residuals, nullptr));
      return status;
    };
    expect_refusal(solve(2), KAON_STOPPED, "on_iteration ended the solve; right-hand side 0 was stopped after ");
    EXPECT_EQ(until.calls, 2);
    for (int k = 0; k < sides; ++k) {
      EXPECT_EQ(reports[k].converged, 0);
      EXPECT_EQ(reports[k].fallbacks, 0);
      EXPECT_GT(reports[k].residual, options.tolerance);
      EXPECT_LE(reports[k].residual, 1.0);
      EXPECT_NEAR(residuals[k] / reports[k].residual, 1.0, 1e-3);
    }
    expect_ok(solve(1000000));
    EXPECT_GT(until.calls, 2);
    for (int k = 0; k < sides; ++k) EXPECT_LE(residuals[k], options.tolerance);
    if (of.method != KAON_AUTO) expect_ok(solve(until.calls));  // at the end there is nothing left to stop
  }
}

TEST(CProgress, EndsASolveOfSeveralSystems) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  expect_ok(kaon_gauge_start(gauge, KAON_WEAK, 7, 0.3));
  kaon_operator_options physics;
  kaon_operator_options_init(&physics);
  physics.action = KAON_STAGGERED;
  physics.mass = 0.05;
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  SpinorHandle b, fields[2];
  make_spinor(b, lattice, 3, 1);
  for (SpinorHandle& field : fields) make_spinor(field, lattice, 3, 1);
  kaon_spinor* const x[] = {fields[0], fields[1]};
  const kaon_source_options point = source_options(KAON_POINT_SOURCES);
  expect_ok(kaon_spinor_source(b, &point));
  const double values[] = {0.1, 0.5};
  for (const kaon_systems systems : {KAON_MASSES, KAON_SHIFTS}) {
    for (const int inner : {KAON_INNER_HALF, KAON_INNER_SINGLE, KAON_INNER_OUTER}) {
      SCOPED_TRACE(inner);
      Until until{1000000};
      kaon_solver_options options;
      kaon_solver_options_init(&options);
      options.inner = inner;
      options.on_iteration = Until::tell;
      options.on_iteration_context = &until;
      kaon_multi_solver* solver = nullptr;
      expect_ok(kaon_multi_solver_create(dirac, systems, 2, values, &options, &solver));
      kaon_report reports[6];
      expect_ok(kaon_multi_solver_solve(solver, x, b, reports));
      const int all = until.calls;
      for (const int last : {2, all / 2, all - 3}) {  // within refinements, too
        until = {last};
        expect_refusal(kaon_multi_solver_solve(solver, x, b, reports), KAON_STOPPED, "was stopped by on_iteration");
        EXPECT_EQ(until.calls, last);
        for (const kaon_report& report : reports) EXPECT_TRUE(std::isfinite(report.residual));
      }
      until = {1000000};
      expect_ok(kaon_multi_solver_solve(solver, x, b, reports));
      EXPECT_EQ(until.calls, all);
      kaon_multi_solver_destroy(&solver);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
