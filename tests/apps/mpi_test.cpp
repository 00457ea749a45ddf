// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

namespace {

using namespace kaon::test;

Outcome run_two(const std::string& arguments) {
  return run_command(std::string("env OMP_NUM_THREADS=1 ") + KAON_MPIRUN + " " + KAON_PROGRAM + " " + arguments, 60);
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
