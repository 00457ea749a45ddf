// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>

#include <cmath>
#include <utility>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CSmearing, EqualsThatOfCpp) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  SpinorHandle spinor;
  make_spinor(spinor, lattice, 1);
  set_source(spinor, KAON_POINT_SOURCE);
  auto options = defaults(kaon_quark_smear_options_init);
  expect_refusal(kaon_spinor_smear(spinor, gauge, &options), KAON_INVALID, "width");
  options.width = 2.0;
  options.steps = 5;
  expect_refusal(kaon_spinor_smear(spinor, nullptr, &options), KAON_INVALID, "gauge is NULL");
  expect_refusal(kaon_spinor_smear(nullptr, gauge, &options), KAON_INVALID, "spinor is NULL");
  expect_refusal(kaon_spinor_smear(spinor, gauge, nullptr), KAON_INVALID, "options is NULL");
  expect_ok(kaon_spinor_smear(spinor, gauge, &options));
  const Numbers found = values_of(spinor);

  const GaugeField<double> links = weak_links();
  SpinorField<double> chi(links.lattice());
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
  auto info = defaults(kaon_run_info_init);
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
  GaugeHandle gauge;
  OperatorHandle dirac;
  make_lattice(lattice, {4, 4, 4, 8});
  make_random_links(gauge, lattice);
  make_operator(dirac, gauge);
  std::vector<double> history;
  auto options = defaults(kaon_solver_options_init);
  options.tolerance = 1e-6;
  options.inner = KAON_INNER_OUTER;
  options.on_iteration = remember;
  options.on_iteration_context = &history;
  SolverHandle solver;
  expect_ok(kaon_solver_create(dirac, &options, &solver));
  SpinorHandle x, b;
  make_spinor(x, lattice, 1);
  make_spinor(b, lattice, 1);
  set_source(b, KAON_POINT_SOURCE);
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

// The best x so far, whose residual the report has, and a solver that solves again. C++ proves it for all methods.
TEST(CProgress, EndsASolve) {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  make_lattice(lattice, {4, 4, 4, 8});
  make_random_links(gauge, lattice);
  for (const auto& [method, action] :
       {std::pair{KAON_AUTO, KAON_WILSON}, {KAON_CG, KAON_STAGGERED}, {KAON_MULTIGRID, KAON_WILSON}}) {
    SCOPED_TRACE(method);
    OperatorHandle dirac;
    make_operator(dirac, gauge, action);
    Until until{2};
    auto options = defaults(kaon_solver_options_init);
    options.method = method;
    options.on_iteration = Until::tell;
    options.on_iteration_context = &until;
    SolverHandle solver;
    expect_ok(kaon_solver_create(dirac, &options, &solver));
    EXPECT_EQ(until.calls, 0);
    const int spins = action == KAON_STAGGERED ? 1 : 4;
    constexpr int sides = 14;  // of which multigrid solves 12 at once
    SpinorHandle b;
    make_spinor(b, lattice, sides, spins);
    set_source(b, KAON_GAUSSIAN_NOISE);
    kaon_report reports[sides];
    double residuals[sides];
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
      EXPECT_GT(reports[k].residual, options.tolerance);
      EXPECT_NEAR(residuals[k] / reports[k].residual, 1.0, 1e-3);
    }
    expect_ok(solve(1000000));
    EXPECT_GT(until.calls, 2);
    for (const double residual : residuals) EXPECT_LE(residual, options.tolerance);
  }
}

TEST(CProgress, EndsASolveOfSeveralSystems) {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  OperatorHandle dirac;
  make_lattice(lattice, {4, 4, 4, 8});
  make_random_links(gauge, lattice);
  make_operator(dirac, gauge, KAON_STAGGERED, 0.05);
  SpinorHandle b, fields[2];
  make_spinor(b, lattice, 3, 1);
  for (SpinorHandle& field : fields) make_spinor(field, lattice, 3, 1);
  kaon_spinor* const x[] = {fields[0], fields[1]};
  set_source(b);
  const double values[] = {0.1, 0.5};
  for (const kaon_systems systems : {KAON_MASSES, KAON_SHIFTS}) {
    Until until{1000000};
    auto options = defaults(kaon_solver_options_init);
    options.on_iteration = Until::tell;
    options.on_iteration_context = &until;
    MultiSolverHandle solver;
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
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
