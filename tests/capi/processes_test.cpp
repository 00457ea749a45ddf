// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/processes.hpp"
#include "tests/capi/handles.hpp"

#if __has_include(<mpi.h>)
#include <mpi.h>
#endif

namespace kaon::test {
namespace KAON_TEST_FILE {

// tests/python/agreement.py changes all arguments of all functions. Here a handle in each role, and the words.
TEST(CProcesses, RefuseArgumentsThatDiffer) {
  const Started started;
  if (processes().size() == 1) return;
  const int rank = processes().rank();
  const auto expect_different = [](kaon_status status, const std::string& text) {
    expect_refusal(status, KAON_INVALID, "processes were given different arguments: " + text);
  };
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  auto physics = defaults(kaon_operator_options_init);
  physics.mass = 0.2;
  OperatorHandle dirac, other;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  if (rank == 1) physics.mass = 0.3;
  expect_different(kaon_operator_create(gauge, &physics, &other),
                   "options.mass = 0.2 (process 0) and 0.3 (process 1); give all the same");
  expect_different(kaon_operator_create(gauge, rank == 1 ? nullptr : &physics, &other),
                   "options = not NULL (process 0)");
  const double shift = 0.1 * (1 + rank);
  kaon_multi_solver* shifted = nullptr;
  expect_different(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, nullptr, &shifted),
                   "values = 0.1 (process 0) and 0.2 (process 1)");
  auto solving = defaults(kaon_solver_options_init);
  SolverHandle solver, coarse;
  expect_ok(kaon_solver_create(dirac, nullptr, &solver));
  solving.tolerance = 1e-3;
  expect_ok(kaon_solver_create(dirac, &solving, &coarse));
  SpinorHandle b, x, one;
  make_spinor(one, lattice, 1);
  make_spinor(b, lattice, 1 + rank);
  make_spinor(x, lattice, 1);
  expect_different(kaon_solver_solve(rank == 1 ? coarse : solver, x, one, nullptr),
                   "solver.options.tolerance = 1e-10 (process 0) and 0.001 (process 1)");
  expect_different(kaon_solver_solve(solver, x, b, nullptr), "b.right_hand_sides = 1 (process 0) and 2 (process 1)");
  expect_different(kaon_solver_solve(solver, x, rank == 1 ? nullptr : static_cast<kaon_spinor*>(b), nullptr),
                   "b = not NULL (process 0) and NULL");
  // Not even the lattice is known on process 1.
  double norms[8];
  expect_different(kaon_spinor_norm2(rank == 1 ? nullptr : static_cast<kaon_spinor*>(one), norms),
                   "spinor = not NULL (process 0) and NULL");
  // A change of the links on one process alone.
  if (rank == 1) {
    std::vector<double> links(18 * 4 * 512);
    const kaon_array array = array_of(links.data());
    expect_ok(kaon_gauge_set(gauge, &array));
  }
  expect_different(kaon_operator_apply(dirac, KAON_M, x, one),
                   "dirac.has_links_as_made = 1 (process 0) and 0 (process 1)");
  expect_refusal(rank == 1 ? kaon_spinor_norm2(one, norms) : kaon_gauge_plaquette(gauge, norms), KAON_INVALID,
                 "processes made different calls: kaon_gauge_plaquette (process 0) and kaon_spinor_norm2 (");
  expect_ok(kaon_lattice_compare(lattice, "mine", "1"));
  expect_refusal(kaon_lattice_compare(lattice, "mine", rank == 1 ? "2" : "1"), KAON_INVALID,
                 "mine: processes were given different arguments: arguments = 1 (process 0) and 2 (process 1)");
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
  OperatorHandle dirac;
  make_operator(dirac, gauge, KAON_WILSON, 0.1);
  int calls = 0;
  auto options = defaults(kaon_solver_options_init);
  options.on_iteration = end;
  options.on_iteration_context = &calls;
  SpinorHandle b, x;
  make_spinor(b, lattice, 1);
  make_spinor(x, lattice, 1);
  set_source(b, KAON_POINT_SOURCE);
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
                   "options.on_iteration = not NULL (process 0) and NULL (process 1)");
  }
  options.method = KAON_AUTO;
  expect_refusal(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, &options, &shifted), KAON_INVALID,
                 "options.on_iteration = not NULL (process 0) and NULL (process 1)");
}

#if defined(MPI_VERSION)
TEST(CProcesses, TakeACommunicatorAsFortransHandle) {
  const Started started;
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, processes().rank(), 0, &alone);
  auto options = defaults(kaon_lattice_options_init);
  for (int& extent : options.extents) extent = 4;
  options.use_communicator = 1;
  options.communicator = static_cast<int>(MPI_Comm_c2f(alone));
  {
    LatticeHandle lattice;
    expect_ok(kaon_lattice_create(&options, &lattice));
    auto info = defaults(kaon_lattice_info_init);
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
