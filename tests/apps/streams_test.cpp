// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"
#include "tests/support/file_times.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon::test;
namespace fs = std::filesystem;

/// The program with its streams redirected, and what comes before it, by a shell.
Outcome run_in_shell(const std::string& arguments, const std::string& redirection, const std::string& before = "") {
  return run_command("env OMP_NUM_THREADS=1 sh -c '" + before + "exec " + KAON_PROGRAM + " " + arguments + " " +
                     redirection + "'");
}

/// A folder with one gauge field.
class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    expect_success("generate --size 4,4,4,8 --beta 5.7 --start hot --seed 7 --sweeps 1 --output " + (folder_ / "run"));
    fs::rename(folder_ / "run_000001.lime", field_);
  }
  TemporaryFolder folder_;
  const std::string field_ = folder_ / "field.lime";
};

TEST_F(Streams, StandardOutputThatTakesNothingIsAnError) {
  for (const std::string& arguments :
       {"plaquette " + field_, "plaquette --json " + field_, std::string("info --json"), std::string("tune"),
        std::string("--help"), std::string("--version"), std::string("propagator --help")}) {
    for (const auto& [redirection, reason] :
         {std::pair(">/dev/full", "No space left on device"), std::pair(">&-", "Bad file descriptor")}) {
      const Outcome outcome = run_in_shell(arguments, redirection);
      EXPECT_EQ(outcome.exit_code, input) << arguments << redirection;
      EXPECT_TRUE(contains(outcome.errors, std::string("error: standard output cannot be written: ") + reason))
          << arguments << redirection << outcome.errors;
      EXPECT_EQ(count_of(outcome.errors, "\n"), 1) << outcome.errors;
    }
  }
}

TEST_F(Streams, StandardOutputThatTakesNothingLosesNoResult) {
  const std::string report = folder_ / "report.json";
  const Outcome outcome =
      run_in_shell("propagator --gauge " + field_ + " --mass 0.5 --correlator " + report, ">/dev/full");
  EXPECT_EQ(outcome.exit_code, input) << outcome.errors;
  EXPECT_TRUE(fs::exists(report));
}

// A file that took the number of a closed stream would get its text.
TEST_F(Streams, ClosedStreamsAreNotMistakenForFiles) {
  expect_success("convert " + field_ + " " + (folder_ / "expected.lime") + " --format ildg");
  const Outcome outcome =
      run_in_shell("convert " + field_ + " " + (folder_ / "out.lime") + " --format ildg", "<&- >&- 2>&-");
  EXPECT_EQ(outcome.exit_code, input);
  const std::string expected = without_times(read_text(folder_ / "expected.lime"));
  EXPECT_FALSE(expected.empty());
  EXPECT_TRUE(without_times(read_text(folder_ / "out.lime")) == expected);
}

TEST_F(Streams, StandardErrorIsNotNeeded) {
  for (const char* stream : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(run_in_shell("plaquette /nonexistent", stream).exit_code, input) << stream;
    EXPECT_EQ(run_in_shell("--nope", stream).exit_code, usage) << stream;
    const std::string propagator = "propagator --gauge " + field_ + " --mass 0.5 ";
    EXPECT_EQ(run_in_shell(propagator + "--max-iterations 1", stream).exit_code, not_converged) << stream;
    const std::string report = folder_ / "report.json";
    // A cache that cannot be written is a warning, a solve that continues in another precision a notice.
    EXPECT_EQ(run_in_shell(propagator + "--correlator " + report, stream, "KAON_TUNE=on KAON_TUNE_CACHE=/proc/x/y ")
                  .exit_code,
              0);
    EXPECT_TRUE(fs::remove(report)) << stream;
    const std::string heavy = "propagator --gauge " + field_ + " --mass 1e70 --correlator " + report;
    EXPECT_EQ(run_in_shell(heavy, stream).exit_code, 0) << stream;
    EXPECT_TRUE(fs::remove(report)) << stream;
  }
}

TEST_F(Streams, FilesMayNotGrowBeyondTheLimit) {
  const auto entries = folder_.entries();
  const Outcome outcome = run_in_shell("convert " + field_ + " " + (folder_ / "out.lime"), "", "ulimit -f 8; ");
  EXPECT_EQ(outcome.exit_code, input) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "File too large")) << outcome.errors;
  EXPECT_EQ(folder_.entries(), entries);
}

TEST_F(Streams, NamedPipesAreNoGaugeFiles) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& arguments :
       {"plaquette " + pipe, "convert " + pipe + " " + (folder_ / "out"), "propagator --mass 1 --gauge " + pipe,
        "generate --size 4,4,4,4 --beta 6 --start " + pipe + " --output " + (folder_ / "out")}) {
    expect_failure(arguments, input, "it is not a regular file");
  }
}

}  // namespace KAON_TEST_FILE
