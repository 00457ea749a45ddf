// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"
#include "tests/support/program.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/core/execution.hpp>

#include <gtest/gtest.h>

namespace KAON_TEST_FILE {

using kaon::test::count_of;
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
  for (const char* way : {"with-arguments", "without-arguments", "with-arguments --kokkos-num-threads=1",
                          "application-started", "nested", "copy-survives", "sums"}) {
    expect_good(way);
  }
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

TEST(Session, RefusesToStartAgain) {
  const Outcome outcome = run_command(program + " one-after-another");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("make one Session for the whole program"), std::string::npos) << outcome.output;
}

TEST(Session, IsQuietAboutUnboundThreads) {
  const Outcome outcome = run_command("env -u OMP_PROC_BIND -u OMP_NUM_THREADS " + program + " with-arguments");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Session, WarnsOfMoreThreadsThanCores) {
  if (kaon::on_device) GTEST_SKIP() << "threads of the host do little there";
  const Outcome outcome = run_command("env OMP_NUM_THREADS=3 " + program + " one-core");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(count_of(outcome.errors, "kaon: warning: 3 threads run on 1 core and wait for one another"), 1)
      << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "or set OMP_NUM_THREADS=1\n"), 1) << outcome.errors;
  expect_good("one-core", "OMP_NUM_THREADS=1");
  expect_good("one-core", "OMP_NUM_THREADS=3 KOKKOS_DISABLE_WARNINGS=1");
}

// GCC's OpenMP binds the first thread to one core before main() starts.
TEST(Session, CountsCoresWhereThreadsAreBound) {
  for (const char* binding : {"OMP_PROC_BIND=true", "OMP_PROC_BIND=spread OMP_PLACES=threads"}) {
    const Outcome outcome = run_command(std::string("env -u OMP_NUM_THREADS ") + binding + " " + program + " threads");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.errors, "") << binding;
  }
}

TEST(NodeShare, CountsProcessesOfANodeAndOfItsCores) {
  // Process 4 is alone on its node; of the others, processes 0 and 3 may use the same cores.
  const kaon::detail::ProcessPlace places[] = {{7, 1}, {7, 2}, {7, 3}, {7, 1}, {8, 1}};
  const int expected[][3] = {{0, 4, 2}, {1, 4, 1}, {2, 4, 1}, {3, 4, 2}, {0, 1, 1}};
  for (std::size_t rank = 0; rank < 5; ++rank) {
    const kaon::detail::NodeShare share = kaon::detail::share_of(places, rank, 6);
    EXPECT_EQ(share.rank, expected[rank][0]) << rank;
    EXPECT_EQ(share.size, expected[rank][1]) << rank;
    EXPECT_EQ(share.sharing, expected[rank][2]) << rank;
    EXPECT_EQ(share.cores, 6);
  }
}

TEST(NodeShare, IsCrowdedByThreadsThatMayBeFewer) {
  const auto warning = [](int threads, int cores, int sharing) {
    return kaon::detail::crowded_cores(threads, {.cores = cores, .sharing = sharing});
  };
  EXPECT_EQ(warning(16, 16, 1), "");
  EXPECT_EQ(warning(1, 1, 8), "") << "no process can have fewer threads";
  EXPECT_EQ(warning(4, 16, 4), "");
  EXPECT_EQ(warning(16, 2, 1).find("16 threads run on 2 cores"), 0u) << warning(16, 2, 1);
  EXPECT_EQ(warning(16, 16, 4).find("4 processes with 16 threads each share 16 cores"), 0u) << warning(16, 16, 4);
  EXPECT_NE(warning(16, 16, 4).find("OMP_NUM_THREADS=4"), std::string::npos) << warning(16, 16, 4);
  const std::string bound = kaon::detail::crowded_cores(4, {.cores = 16, .sharing = 4, .bound = true});
  EXPECT_EQ(bound.find("OpenMP binds the threads of 4 processes to the same cores"), 0u) << bound;
  EXPECT_EQ(kaon::detail::crowded_cores(16, {.cores = 16, .bound = true}), "");
}

TEST(Session, StartsInAnEmptyEnvironment) {
  const Outcome outcome = run_command("env -i LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\" ASAN_OPTIONS=\"$ASAN_OPTIONS\" " +
                                      program + " with-arguments");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

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
