// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/program.hpp"

#include <gtest/gtest.h>

namespace {

using kaon::test::count_of;
using kaon::test::Outcome;
using kaon::test::run_command;

const std::string program = KAON_SESSION_PROGRAM;
const std::string mpirun = std::string(KAON_MPIEXEC) + " " + KAON_MPIEXEC_NUMPROC_FLAG + " 2 ";

Outcome run_two(const std::string& way) {
  return run_command("env OMP_NUM_THREADS=1 " + mpirun + program + " " + way, 60);
}

TEST(SessionOnTwoProcesses, StartsAndStops) {
  for (const char* way : {"with-arguments", "without-arguments", "application-started", "nested", "copy-survives"}) {
    const Outcome outcome = run_two(way);
    EXPECT_EQ(outcome.exit_code, 0) << way << outcome.errors;
    EXPECT_EQ(count_of(outcome.output, "good"), 2) << way << outcome.output;
  }
}

TEST(SessionOnTwoProcesses, SumsInOrder) {
  const Outcome outcome = run_two("sums");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(count_of(outcome.output, "good"), 2);
}

TEST(SessionOnTwoProcesses, EndsWhenOneThrows) {
  const Outcome outcome = run_two("one-throws");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "a broken link"), 1) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "(on process 1 of 2)"), 1) << outcome.errors;
}

TEST(SessionOnTwoProcesses, EndsWithOneMessageWhenAllThrow) {
  const Outcome outcome = run_two("all-throw");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "the same for everyone"), 1) << outcome.errors;
}

TEST(SessionOnTwoProcesses, KeepsTheExitCode) {
  const Outcome outcome = run_two("fails-with-code");
  EXPECT_EQ(outcome.exit_code, 7) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "the first fails"), 1) << outcome.errors;
}

TEST(SessionOnTwoProcesses, EndsWhenAnExceptionLeavesOneSession) {
  const Outcome outcome = run_two("leaves-by-exception");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "ending all"), 1) << outcome.errors;
}
}  // namespace
