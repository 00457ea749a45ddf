// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace KAON_TEST_FILE {

using kaon::test::count_of;
using kaon::test::Outcome;
using kaon::test::run_command;

const std::string program = KAON_SESSION_PROGRAM;

/// The way of session_program on some processes, with variables of the environment set or, by "-u", taken away.
Outcome run_on(int processes, const std::string& way, const std::string& environment = "OMP_NUM_THREADS=1") {
  const std::string mpirun = std::string(KAON_MPIEXEC) + " " + KAON_MPIEXEC_NUMPROC_FLAG + " ";
  return run_command("env " + environment + " KAON_TEST_EXPECT_MPI=1 " + mpirun + std::to_string(processes) + " " +
                         program + " " + way,
                     60);
}

TEST(SessionOnTwoProcesses, StartsAndStopsAndSumsInOrder) {
  for (const char* way :
       {"with-arguments", "without-arguments", "application-started", "nested", "copy-survives", "sums"}) {
    const Outcome outcome = run_on(2, way);
    EXPECT_EQ(outcome.exit_code, 0) << way << outcome.errors;
    EXPECT_EQ(count_of(outcome.output, "good"), 2) << way << outcome.output;
  }
}

// One message, and who has failed where not all do.
TEST(SessionOnSeveralProcesses, EndsWhenOneOrAllFail) {
  struct Case {
    int processes;
    const char *way, *message;
    int exit_code = 1;
    int alone = -1;  // the process that fails, if not all do
  };
  for (const Case& c : {Case{4, "one-throws", "a broken link", 1, 3},
                        {2, "one-throws-in-a-call", "each must be even and at least 2", 1, 1},
                        {2, "one-cannot-start", "Kokkos has been stopped", 1, 1},
                        {2, "all-throw", "the same for everyone"},
                        {2, "fails-with-code", "the first fails", 7},
                        {2, "leaves-by-exception", "ending all"}}) {
    const Outcome outcome = run_on(c.processes, c.way);
    EXPECT_EQ(outcome.exit_code, c.exit_code) << outcome.errors;
    EXPECT_EQ(count_of(outcome.errors, c.message), 1) << outcome.errors;
    if (c.alone < 0) continue;
    const std::string where = "(on process " + std::to_string(c.alone) + " of " + std::to_string(c.processes) + ")";
    EXPECT_EQ(count_of(outcome.errors, where), 1) << outcome.errors;
  }
}

/// Two processes, each with an environment of its own.
Outcome run_differing(const std::string& first, const std::string& second, const std::string& way) {
  const std::string one = std::string(" ") + KAON_MPIEXEC_NUMPROC_FLAG + " 1 env OMP_NUM_THREADS=1 ";
  return run_command(
      KAON_MPIEXEC + one + first + " " + program + " " + way + " :" + one + second + " " + program + " " + way, 60);
}

TEST(SessionOnTwoProcesses, TunesAsTheFirstProcessIsTold) {
  for (const char* second : {"", "KAON_TUNE=on", "KAON_TUNE=nonsense"}) {
    const Outcome outcome = run_differing("KAON_TUNE=off", second, "tuning");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(count_of(outcome.output, "tuning off"), 2) << outcome.output;
  }
  const Outcome outcome = run_differing("", "KAON_TUNE=off", "tuning");
  EXPECT_EQ(count_of(outcome.output, "tuning on"), 2) << outcome.output;
}

TEST(SessionOnTwoProcesses, RefusesASettingOfTheFirstThatHasNoMeaning) {
  // The launcher ends all processes when one leaves with an error: not before a slow one has written its message.
  for (const char* way : {"tuning", "slow-message"}) {
    const Outcome outcome = run_differing("KAON_TUNE=nonsense", "", way);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
    EXPECT_EQ(count_of(outcome.errors, "KAON_TUNE is 'nonsense'"), 1) << outcome.errors;
    EXPECT_EQ(count_of(outcome.errors, "error: "), 1) << outcome.errors;
  }
}

TEST(SessionOnTwoProcesses, DividesCoresThatBothMayUse) {
  const unsigned cores = std::thread::hardware_concurrency();
  const std::string share = std::to_string(std::max(1u, cores / 2)) + " threads";
  const std::string free = "-u OMP_NUM_THREADS OMPI_MCA_hwloc_base_binding_policy=none";
  for (const std::string& ways : {free, "-u OMP_PROC_BIND " + free, free + " OMP_PROC_BIND=true"}) {
    const Outcome outcome = run_on(2, "threads", ways);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(count_of(outcome.output, "good"), 2) << outcome.output;
    const bool bound = ways.ends_with("=true") && count_of(outcome.output, "2 share") == 2;
    EXPECT_EQ(count_of(outcome.errors, "OpenMP binds the threads of 2 processes"), bound ? 1 : 0) << outcome.errors;
    if (count_of(outcome.output, "2 share") == 2) {
      EXPECT_EQ(count_of(outcome.output, share), 2) << outcome.output;
    }
  }
  EXPECT_EQ(count_of(run_on(2, "threads", "OMP_NUM_THREADS=3").output, "3 threads"), 2);
}

TEST(SessionOnTwoProcesses, WarnsOnceOfMoreThreadsThanCores) {
  for (const auto& [threads, warnings] : {std::pair(4, 1), std::pair(1, 0)}) {
    const Outcome outcome = run_on(2, "one-core", "OMP_NUM_THREADS=" + std::to_string(threads));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(count_of(outcome.output, "good"), 2) << outcome.output;
    EXPECT_EQ(count_of(outcome.errors, "kaon: warning: "), warnings) << outcome.errors;
  }
}

}  // namespace KAON_TEST_FILE
