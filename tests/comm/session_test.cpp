// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/program.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>

#include <gtest/gtest.h>

namespace KAON_TEST_FILE {

using kaon::test::Outcome;
using kaon::test::run_command;

const std::string program = KAON_SESSION_PROGRAM;

/// The way of using a session runs to its end, says what is wanted and nothing to standard error.
void expect_good(const std::string& arguments, const std::string& environment = "") {
  const Outcome outcome = run_command("env " + environment + " " + program + " " + arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("good"), std::string::npos) << outcome.output << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

TEST(Session, StartsAndStopsWhatItStarted) {
  expect_good("with-arguments");
  expect_good("without-arguments");
}

TEST(Session, StartsMpiForALauncherOrOnDemand) {
  const std::string expected = " KAON_TEST_EXPECT_MPI=1";
  for (const char* way : {"with-arguments", "nested"}) {
    expect_good(way, "KAON_MPI=on" + expected);
    expect_good(way, "KAON_MPI=1 SLURM_PROCID=0" + expected);
    expect_good(way, "SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=1");  // a shell or a batch script
    expect_good(way, "OMPI_COMM_WORLD_SIZE=2 PMI_RANK=0 KAON_MPI=off");
  }
}

TEST(Session, RefusesAnotherWayOfStartingMpi) {
  const Outcome outcome = run_command("env KAON_MPI=maybe " + program + " tuning");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("KAON_MPI is 'maybe': set it to on (or 1) or to off (or 0)"), std::string::npos)
      << outcome.errors;
}

TEST(Session, RunsWhereStandardErrorIsFullOrClosed) {
  for (const char* stream : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(run_command("sh -c '" + program + " one-throws " + stream + "'").exit_code, 1) << stream;
    EXPECT_EQ(run_command("sh -c '" + program + " fails-with-code " + stream + "'").exit_code, 7) << stream;
  }
}

TEST(Session, TakesOutTheArgumentsOfKokkos) { expect_good("with-arguments --kokkos-num-threads=1"); }

TEST(Session, LeavesWhatTheApplicationStarted) { expect_good("application-started"); }

TEST(Session, MayBeNested) { expect_good("nested"); }

TEST(Session, RefusesToStartAgain) {
  const Outcome outcome = run_command(program + " one-after-another");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("make one Session for the whole program"), std::string::npos) << outcome.output;
}

TEST(Session, CommunicatorMayOutliveIt) { expect_good("copy-survives"); }

TEST(Session, IsQuietAboutUnboundThreads) {
  const Outcome outcome = run_command("env -u OMP_PROC_BIND -u OMP_NUM_THREADS " + program + " with-arguments");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Session, StartsInAnEmptyEnvironment) {
  const Outcome outcome = run_command("env -i LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\" ASAN_OPTIONS=\"$ASAN_OPTIONS\" " +
                                      program + " with-arguments");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

TEST(Session, OneProcessHasCollectives) { expect_good("sums"); }

TEST(Session, ReportsWhatIsThrown) {
  for (const char* way : {"one-throws", "all-throw"}) {
    const Outcome outcome = run_command(program + " " + way);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.errors.rfind("error: ", 0), 0u) << outcome.errors;
  }
  EXPECT_EQ(run_command(program + " fails-with-code").exit_code, 7);
  EXPECT_EQ(run_command(program + " leaves-by-exception").exit_code, 1);
}

TEST(BuildInfo, IsComplete) {
  const kaon::Session session;
  const kaon::BuildInfo build = kaon::build_info();
  for (const std::string& text : {build.version, build.compiler, build.kokkos, build.message_passing,
                                  build.execution_space, build.memory_space, build.instruction_set}) {
    EXPECT_NE(text, "");
  }
  EXPECT_GE(build.double_lanes, 1);
  EXPECT_GE(build.float_lanes, build.double_lanes);
  const kaon::RunInfo run = kaon::run_info(session.communicator());
  EXPECT_EQ(run.processes, 1);
  EXPECT_GE(run.host_threads, 1);
  EXPECT_NE(run.device, "");
}

}  // namespace KAON_TEST_FILE
