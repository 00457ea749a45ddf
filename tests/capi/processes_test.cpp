// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/processes.hpp"
#include "tests/capi/handles.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/propagators/correlator.hpp>
#include <kaon/propagators/propagator_solver.hpp>
#include <kaon/propagators/sources.hpp>

#if __has_include(<mpi.h>)
#include <mpi.h>
#endif

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CProcesses, ShareALattice) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  kaon_lattice_info info;
  kaon_lattice_info_init(&info);
  expect_ok(kaon_lattice_get(lattice, &info));
  EXPECT_EQ(info.processes, processes().size());
  EXPECT_EQ(info.rank, processes().rank());
  EXPECT_EQ(info.local_extents[3], 8 / info.grid[3]);

  const Lattice cpp_lattice(processes(), {.extents = {4, 4, 4, 8}});
  GaugeField<double> links(cpp_lattice);
  set_weak(links, 0.3, {.seed = 5});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  double found[3];
  expect_ok(kaon_gauge_plaquette(gauge, found));
  EXPECT_EQ(found[0], plaquette(links).average);

  kaon_operator_options options;
  kaon_operator_options_init(&options);
  options.mass = 0.2;
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(gauge, &options, &dirac));
  SolverHandle solver;
  expect_ok(kaon_solver_create(dirac, nullptr, &solver));
  SpinorHandle b, x;
  make_spinor(b, lattice, 12);
  make_spinor(x, lattice, 12);
  kaon_source_options source;
  kaon_source_options_init(&source);
  expect_ok(kaon_spinor_source(b, &source));
  expect_ok(kaon_solver_solve(solver, x, b, nullptr));
  double correlator[8];
  expect_ok(kaon_pion_correlator(x, nullptr, 8, correlator));

  SpinorField<double> cpp_b(cpp_lattice, {.right_hand_sides = 12}), cpp_x(cpp_lattice, {.right_hand_sides = 12});
  set_point_sources(cpp_b, {});
  require_converged(PropagatorSolver(Wilson<double>(links, {.mass = 0.2}), {.tolerance = 1e-10}).solve(cpp_x, cpp_b));
  const std::vector<double> expected = pion_correlator(cpp_x);
  // Each kaon of this program chooses when to exchange halos, and thereby the order of its sums.
  for (std::size_t t = 0; t < 8; ++t) EXPECT_NEAR(correlator[t] / expected[t], 1.0, 1e-9);
}

TEST(CProcesses, AreGivenTheSameOptions) {
  const Started started;
  const bool several = processes().size() > 1;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  kaon_operator_options physics;
  kaon_operator_options_init(&physics);
  physics.mass = 0.2;
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  physics.mass += 0.01 * processes().rank();
  OperatorHandle other;
  kaon_solver_options solving;
  kaon_solver_options_init(&solving);
  solving.tolerance *= 1 + processes().rank();
  SolverHandle solver;
  if (several) {
    expect_refusal(kaon_operator_create(gauge, &physics, &other), KAON_INVALID,
                   "processes were given different operators: action 0, mass 0.2, ");
    expect_refusal(kaon_solver_create(dirac, &solving, &solver), KAON_INVALID,
                   "processes were given different solvers: method 0, outer -1, inner 0, links 0, seed 1, no file of "
                   "vectors, tolerance 1e-10, ");
    solving.tolerance = 1e-10;
    const double shift = 0.1 * (1 + processes().rank());
    kaon_multi_solver* shifted = nullptr;
    expect_refusal(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, &solving, &shifted), KAON_INVALID,
                   "masses or shifts 0.1 (process 0)");
  } else {
    expect_ok(kaon_operator_create(gauge, &physics, &other));
    expect_ok(kaon_solver_create(dirac, &solving, &solver));
  }
}

// Calls with other numbers of steps or fields would wait for messages for ever.
TEST(CProcesses, MakeTheSameCalls) {
  const Started started;
  if (processes().size() == 1) return;
  const int rank = processes().rank();
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge, out;
  make_random_links(gauge, lattice);
  const auto expect_different = [](kaon_status status, const std::string& text) {
    expect_refusal(status, KAON_INVALID, ("processes were given different " + text).c_str());
  };
  double numbers[3]{};
  expect_different(kaon_lattice_sum(lattice, static_cast<std::size_t>(rank % 2), numbers),
                   "sums: 0 numbers (process 0) and 1 numbers (process 1)");
  expect_different(kaon_gauge_polyakov_loop(gauge, rank % 4, numbers), "loops: direction 0");

  kaon_heatbath_options heatbath;
  kaon_heatbath_options_init(&heatbath);
  heatbath.overrelaxations = -rank;
  expect_different(kaon_gauge_heatbath(gauge, &heatbath), "updates: number 0, seed 0, beta 6, 0 of overrelaxation ");
  kaon_smear_options smearing;
  kaon_smear_options_init(&smearing);
  smearing.steps += rank;
  expect_different(kaon_gauge_smear(gauge, &smearing, &out), "smearing: method 0, 1 steps, omitted -1, rho 0.1, ");
  kaon_flow_options flow;
  kaon_flow_options_init(&flow);
  flow.steps += rank;
  expect_different(kaon_gauge_flow(gauge, &flow, &out), "flows: 1 steps (process 0) and 2 steps (process 1)");
  kaon_gauge_fix_options fixing;
  kaon_gauge_fix_options_init(&fixing);
  fixing.max_iterations += rank;
  expect_different(kaon_gauge_fix(gauge, &fixing, &out, nullptr), "gauge conditions: condition 0, max_iterations 1");
  const double epsilons[] = {0.1 * rank};
  GaugeHandle fat, long_links;
  expect_different(kaon_gauge_smear_hisq_links(gauge, 1, epsilons, &fat, &long_links), "Naik epsilons: 0 (process 0)");
  kaon_link_smear_options improved;
  kaon_link_smear_options_init(&improved);
  improved.naik_epsilon = epsilons[0];
  expect_different(kaon_gauge_smear_links(gauge, &improved, &fat, &long_links), "improved links: action 6, u0 nan, ");
  kaon_file_options file;
  kaon_file_options_init(&file);
  file.format = rank % 2;
  expect_different(kaon_gauge_write(gauge, "never", &file), "files of links: format 0, 64 bits");

  kaon_operator_options physics;
  kaon_operator_options_init(&physics);
  physics.mass = 0.2;
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  kaon_eigenvector_options finding;
  kaon_eigenvector_options_init(&finding);
  finding.count += rank;
  kaon_eigenvectors* eigenvectors = nullptr;
  expect_different(kaon_eigenvectors_find(dirac, &finding, &eigenvectors),
                   "searches for eigenvectors: count 1, smallest, basis 0, tolerance 1e-10, ");
  expect_different(kaon_eigenvectors_load(dirac, "never", rank % 2, &eigenvectors), "eigenvectors: even_sites 0");

  SolverHandle solver;
  expect_ok(kaon_solver_create(dirac, nullptr, &solver));
  const double shift = 0.1;
  kaon_multi_solver* shifted = nullptr;
  expect_ok(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, nullptr, &shifted));
  SpinorHandle b, x;
  make_spinor(b, lattice, 1 + rank);
  make_spinor(x, lattice, 1 + rank);
  const std::string sides = "fields: 1 right-hand sides (process 0) and 2 right-hand sides (process 1)";
  expect_different(kaon_solver_solve(solver, x, b, nullptr), sides);
  double norms[8];
  expect_different(kaon_spinor_norm2(b, norms), sides);
  const std::string forms = "forms of an operator: form 0 on 1 right-hand sides (process 0) and form 0 on 2 ";
  expect_different(kaon_operator_apply(dirac, KAON_M, x, b), forms);
  expect_different(kaon_operator_apply_schur(dirac, nullptr, KAON_M, x, b), forms);
  expect_different(kaon_operator_residual(dirac, x, b, norms, nullptr),
                   "residuals: 1 right-hand sides, of heavy quarks: false (process 0) and 2 ");
  kaon_spinor* const all[] = {x};
  expect_different(kaon_multi_solver_solve(shifted, all, b, nullptr), sides);
  kaon_multi_solver_destroy(&shifted);
  double correlator[8];
  expect_different(kaon_pion_correlator(x, nullptr, 8, correlator), sides);
  kaon_quark_smear_options width;
  kaon_quark_smear_options_init(&width);
  width.width = 1.0;
  width.steps = 5 + rank;
  expect_different(kaon_spinor_smear(b, gauge, &width), sides);
  SpinorHandle one;
  make_spinor(one, lattice, 1);
  expect_different(kaon_spinor_smear(one, gauge, &width), "smearing of quarks: width 1, 5 steps (process 0)");

  kaon_gauge_action_options action;
  kaon_gauge_action_options_init(&action);
  action.beta = 5.5;
  kaon_action_term* term = nullptr;
  expect_ok(kaon_action_term_create_gauge(&action, &term));
  expect_different(kaon_action_term_draw(term, gauge, 1 + static_cast<std::uint64_t>(rank), 0, numbers),
                   "draws: seed 1, stream 0");
  kaon_action_term_destroy(&term);
}

/// Ends a solve at its third iteration on the last process.
int end(int iteration, int, const double*, void* context) {
  ++*static_cast<int*>(context);
  return iteration >= 3 && processes().rank() == processes().size() - 1 ? 0 : 1;
}

TEST(CProcesses, EndASolveTogether) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  kaon_operator_options physics;
  kaon_operator_options_init(&physics);
  physics.mass = 0.1;
  OperatorHandle dirac;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  int calls = 0;
  kaon_solver_options options;
  kaon_solver_options_init(&options);
  options.on_iteration = end;
  options.on_iteration_context = &calls;
  SpinorHandle b, x;
  make_spinor(b, lattice, 1);
  make_spinor(x, lattice, 1);
  kaon_source_options source;
  kaon_source_options_init(&source);
  source.kind = KAON_POINT_SOURCE;
  expect_ok(kaon_spinor_source(b, &source));
  const double shift = 0.1;
  SolverHandle solver;
  kaon_multi_solver* shifted = nullptr;
  expect_ok(kaon_solver_create(dirac, &options, &solver));
  expect_ok(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, &options, &shifted));
  expect_refusal(kaon_solver_solve(solver, x, b, nullptr), KAON_STOPPED, "was stopped after 3 iterations");
  EXPECT_EQ(calls, 3);
  kaon_spinor* const all[] = {x};
  expect_refusal(kaon_multi_solver_solve(shifted, all, b, nullptr), KAON_STOPPED, "was stopped by on_iteration");
  EXPECT_EQ(calls, 6);
  kaon_multi_solver_destroy(&shifted);

  SolverHandle differing;
  if (processes().rank() > 0) options.on_iteration = nullptr;
  if (processes().size() == 1) return;
  for (const kaon_method method : {KAON_AUTO, KAON_MULTIGRID}) {
    options.method = method;
    expect_refusal(kaon_solver_create(dirac, &options, &differing), KAON_INVALID,
                   "different solvers: with on_iteration (process 0) and without on_iteration (process 1)");
  }
  options.method = KAON_AUTO;
  expect_refusal(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, &options, &shifted), KAON_INVALID,
                 "different solvers: with on_iteration (process 0) and without on_iteration (process 1)");
}

#if defined(MPI_VERSION)
TEST(CProcesses, TakeACommunicatorAsFortransHandle) {
  const Started started;
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, processes().rank(), 0, &alone);
  kaon_lattice_options options;
  kaon_lattice_options_init(&options);
  for (int& extent : options.extents) extent = 4;
  options.use_communicator = 1;
  options.communicator = static_cast<int>(MPI_Comm_c2f(alone));
  {
    LatticeHandle lattice;
    expect_ok(kaon_lattice_create(&options, &lattice));
    kaon_lattice_info info;
    kaon_lattice_info_init(&info);
    expect_ok(kaon_lattice_get(lattice, &info));
    EXPECT_EQ(info.processes, 1);
  }
  options.communicator = static_cast<int>(MPI_Comm_c2f(MPI_COMM_NULL));
  kaon_lattice* none = nullptr;
  expect_refusal(kaon_lattice_create(&options, &none), KAON_INVALID, "MPI_COMM_NULL");
  MPI_Comm_free(&alone);
}
#endif

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
