// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <functional>
#include <string>
#include <utility>

// Functions that kaon calls, on_iteration and logs, call kaon themselves.

namespace kaon::test {
namespace KAON_TEST_FILE {

/// A solver with the handles of its solve.
struct Solve : Links {
  explicit Solve(kaon_method method, kaon_action action = KAON_WILSON_CLOVER) {
    auto physics = defaults(kaon_operator_options_init);
    physics.action = action;
    physics.mass = 0.1;
    expect_ok(kaon_operator_create(gauge, &physics, &dirac));
    physics.mass = 0.3;
    expect_ok(kaon_operator_create(gauge, &physics, &other));
    auto options = defaults(kaon_solver_options_init);
    options.method = method;
    options.tolerance = 1e-9;
    options.on_iteration = [](int iteration, int, const double*, void* context) {
      const Solve& solve = *static_cast<const Solve*>(context);
      if (iteration == 2 && solve.within) solve.within();
      return 1;
    };
    options.on_iteration_context = this;
    expect_ok(kaon_solver_create(dirac, &options, &solver));
    const int spins = action == KAON_STAGGERED ? 1 : 4;
    make_spinor(x, lattice, 1, spins);
    make_spinor(b, lattice, 1, spins);
    set_source(b, KAON_GAUSSIAN_NOISE);
  }

  double residual() const {
    double found = 1.0;
    expect_ok(kaon_operator_residual(dirac, x, b, &found, nullptr));
    return found;
  }

  OperatorHandle dirac, other;
  SolverHandle solver;
  SpinorHandle x, b;
  std::function<void()> within;  ///< called at the second iteration
};

constexpr std::pair<kaon_method, kaon_action> methods[]{
    {KAON_BICGSTAB, KAON_WILSON_CLOVER},  {KAON_CGNR, KAON_WILSON_CLOVER}, {KAON_GCR_DD, KAON_WILSON_CLOVER},
    {KAON_MULTIGRID, KAON_WILSON_CLOVER}, {KAON_CG, KAON_STAGGERED},       {KAON_MULTIGRID, KAON_STAGGERED}};

TEST(CUse, RefusesToChangeHandlesOfARunningSolve) {
  for (const auto& [method, action] : methods) {
    Solve solve(method, action);
    int calls = 0;
    solve.within = [&] {
      ++calls;
      const auto expect_in_use = [](kaon_status status, const std::string& text) {
        expect_refusal(status, KAON_INVALID, text + " in use by kaon_solver_solve");
      };
      auto source = defaults(kaon_source_options_init);
      source.kind = KAON_GAUSSIAN_NOISE;
      expect_in_use(kaon_solver_update(solve.solver, solve.other), "solver is");
      expect_in_use(kaon_solver_solve(solve.solver, solve.x, solve.b, nullptr), "solver is");
      expect_in_use(kaon_spinor_source(solve.x, &source), "spinor is");
      expect_in_use(kaon_spinor_source(solve.b, &source), "spinor is");
      expect_in_use(kaon_operator_apply(solve.other, KAON_M, solve.b, solve.b), "out is");
      double norm = 0.0;
      expect_in_use(kaon_spinor_norm2(solve.x, &norm), "spinor is");
      auto heatbath = defaults(kaon_heatbath_options_init);
      expect_in_use(kaon_gauge_heatbath(solve.gauge, &heatbath), "the links of gauge are");
      expect_in_use(kaon_gauge_start(solve.gauge, KAON_COLD, 0, 0.0), "the links of gauge are");
    };
    expect_ok(kaon_solver_solve(solve.solver, solve.x, solve.b, nullptr));
    EXPECT_LE(solve.residual(), 1e-9);
    EXPECT_GT(calls, 0);
    solve.within = {};
    expect_ok(kaon_solver_update(solve.solver, solve.other));
  }
}

TEST(CUse, LeavesReadsToFunctionsThatASolveCalls) {
  for (const auto& [method, action] : methods) {
    Solve solve(method, action);
    double alone = 0.0, within = 0.0, norm = 0.0, plaquette[3];
    expect_ok(kaon_spinor_norm2(solve.b, &alone));
    SpinorHandle y;
    make_spinor(y, solve.lattice, 1, action == KAON_STAGGERED ? 1 : 4);
    solve.within = [&] {
      expect_ok(kaon_spinor_norm2(solve.b, &within));
      expect_ok(kaon_gauge_plaquette(solve.gauge, plaquette));
      expect_ok(kaon_operator_apply(solve.dirac, KAON_M_DAGGER_M, y, solve.b));
      expect_ok(kaon_spinor_norm2(y, &norm));
      SolverHandle nested;
      expect_ok(kaon_solver_create(solve.dirac, nullptr, &nested));
      expect_ok(kaon_solver_solve(nested, y, solve.b, nullptr));
    };
    expect_ok(kaon_solver_solve(solve.solver, solve.x, solve.b, nullptr));
    EXPECT_EQ(within, alone);
    EXPECT_GT(norm, 0.0);
    EXPECT_LE(solve.residual(), 1e-9);
    double found = 1.0;
    expect_ok(kaon_operator_residual(solve.dirac, y, solve.b, &found, nullptr));
    EXPECT_LE(found, 1e-10);
  }
}

TEST(CUse, FreesDestroyedHandlesAfterTheSolve) {
  for (const auto& [method, action] : methods) {
    Solve solve(method, action);
    solve.within = [&] {
      kaon_lattice_destroy(&solve.lattice);
      kaon_gauge_destroy(&solve.gauge);
      kaon_operator_destroy(&solve.dirac);
      kaon_solver_destroy(&solve.solver);
      kaon_spinor_destroy(&solve.x);
      kaon_spinor_destroy(&solve.b);
      EXPECT_EQ(static_cast<kaon_solver*>(solve.solver), nullptr);
    };
    kaon_report report{};
    expect_ok(kaon_solver_solve(solve.solver, solve.x, solve.b, &report));
    EXPECT_EQ(report.converged, 1);
    expect_refusal(kaon_solver_solve(solve.solver, solve.x, solve.b, nullptr), KAON_INVALID, "solver is NULL");
  }
}

TEST(CUse, FreesFieldsOfSeveralSystemsAfterTheSolve) {
  Solve solve(KAON_CG, KAON_STAGGERED);
  auto options = defaults(kaon_solver_options_init);
  kaon_spinor* x[2]{};
  options.on_iteration = [](int, int, const double*, void* context) {
    auto* fields = static_cast<kaon_spinor**>(context);
    kaon_spinor_destroy(&fields[0]);
    kaon_spinor_destroy(&fields[1]);
    return 1;
  };
  options.on_iteration_context = x;
  const double masses[]{0.1, 0.2};
  kaon_multi_solver* solver = nullptr;
  expect_ok(kaon_multi_solver_create(solve.dirac, KAON_MASSES, 2, masses, &options, &solver));
  auto shape = defaults(kaon_spinor_options_init);
  shape.spins = 1;
  for (kaon_spinor*& field : x) expect_ok(kaon_spinor_create(solve.lattice, &shape, &field));
  expect_ok(kaon_multi_solver_solve(solver, x, solve.b, nullptr));
  EXPECT_EQ(x[1], nullptr);
  kaon_multi_solver_destroy(&solver);
}

// A right-hand side that is zero has a notice, whose receiver takes everything away, itself included.
TEST(CUse, HoldsForLogs) {
  Solve solve(KAON_BICGSTAB);
  struct Context {
    Solve& solve;
    SpinorHandle zero;
    kaon_log then;
    int calls = 0;
  } context{solve, {}, [](int, const char*, void* calls) { ++*static_cast<int*>(calls); }};
  make_spinor(context.zero, solve.lattice, 1);
  const auto log = [](int, const char*, void* given) {
    Context& at = *static_cast<Context*>(given);
    expect_refusal(kaon_solver_update(at.solve.solver, at.solve.other), KAON_INVALID,
                   "solver is in use by kaon_solver_solve");
    kaon_solver_destroy(&at.solve.solver);
    kaon_spinor_destroy(&at.solve.x);
    kaon_spinor_destroy(&at.zero);
    expect_ok(kaon_set_log(at.then, &at.calls));
  };
  expect_ok(kaon_set_log(log, &context));
  SolverHandle again;
  expect_ok(kaon_solver_create(solve.dirac, nullptr, &again));
  expect_ok(kaon_solver_solve(solve.solver, solve.x, context.zero, nullptr));
  EXPECT_EQ(static_cast<kaon_solver*>(solve.solver), nullptr);
  EXPECT_EQ(context.calls, 0);
  make_spinor(solve.x, solve.lattice, 1);
  make_spinor(context.zero, solve.lattice, 1);
  expect_ok(kaon_solver_solve(again, solve.x, context.zero, nullptr));
  EXPECT_EQ(context.calls, 1);
  expect_ok(kaon_set_log(nullptr, nullptr));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
