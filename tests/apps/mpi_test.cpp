// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

namespace {

using namespace kaon::test;

Outcome run_two(const std::string& arguments) {
  const std::string mpirun = std::string(KAON_MPIEXEC) + " " + KAON_MPIEXEC_NUMPROC_FLAG + " 2 ";
  return run_command("env OMP_NUM_THREADS=1 " + mpirun + KAON_PROGRAM + " " + arguments, 60);
}

TEST(ProgramOnTwoProcesses, SaysThingsOnce) {
  const Outcome outcome = run_two("info");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(count_of(outcome.output, "Kokkos"), 1) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "processes         2")) << outcome.output;
}

TEST(ProgramOnTwoProcesses, RefusesMistakesOnce) {
  const Outcome outcome = run_two("propagator --unit --size 4,4,4,4 --mass 0.1 --kappa 0.13");
  EXPECT_EQ(outcome.exit_code, usage) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "--mass and --kappa are both given"), 1) << outcome.errors;
}

TEST(ProgramOnTwoProcesses, RefusesLattices) {
  for (const char* arguments :
       {"propagator --unit --size 4,4,4,4 --mass 0.1", "generate --size 4,4,4,4 --beta 6 --output never-written"}) {
    const Outcome outcome = run_two(arguments);
    EXPECT_EQ(outcome.exit_code, usage) << outcome.errors;
    EXPECT_EQ(count_of(outcome.errors, "works on one process, not on 2"), 1) << outcome.errors;
  }
}

}  // namespace
