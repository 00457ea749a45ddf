// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/propagators/smearing.hpp>
#include <kaon/propagators/sources.hpp>

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
void remember(int iteration, int right_hand_sides, const double* residuals, void* context) {
  auto& history = *static_cast<std::vector<double>*>(context);
  EXPECT_EQ(iteration, static_cast<int>(history.size()) + 1);
  EXPECT_EQ(right_hand_sides, 1);
  history.push_back(residuals[0]);
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

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
