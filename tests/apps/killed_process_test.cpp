// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Runs of several processes of which one is killed: all end, with a failure, and leave no file that looks complete.
#include "tests/apps/cli_test.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace KAON_TEST_FILE {

using namespace kaon::test;
namespace fs = std::filesystem;

/// A propagator by multigrid on two processes.
class KilledProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    expect_success("generate --size 8,8,4,16 --beta 6.0 --seed 5 --sweeps 2 --output " + (folder_ / "run"));
    fs::rename(folder_ / "run_000002.lime", field_);
  }

  std::string solve() const {
    return std::string(KAON_PROGRAM) + " propagator --gauge " + field_ + " --kappa 0.125 --csw 1.0 --solver multigrid" +
           " --output " + (folder_ / "prop.lime") + " --correlator " + (folder_ / "pion.json") + " --multigrid-file " +
           (folder_ / "vectors");
  }

  /// Kills process 0 or 1 when the program has said `text`. The exit code of the launcher; 124: it did not end within
  /// five minutes.
  Outcome kill_at(const std::string& text, int process) const {
    const std::string said = folder_ / "said", number = folder_ / "number", start = folder_ / "start";
    std::ofstream(start) << "echo $$ >" << number << "$1\nexec " << solve() << "\n";
    const auto one = [&](int n) {
      return std::string(" ") + KAON_MPIEXEC_NUMPROC_FLAG + " 1 env OMP_NUM_THREADS=1 sh " + start + " " +
             std::to_string(n);
    };
    const std::string ended = folder_ / "ended";  // the exit code of the launcher
    std::ofstream(folder_ / "script") << "rm -f " << ended << "; : >" << said << "\n"
                                      << "{ " << KAON_MPIEXEC << one(0) << " :" << one(1) << " >>" << said
                                      << "; echo $? >" << ended << "; } &\n"
                                      << "until grep -q '" << text << "' " << said << " || test -e " << ended
                                      << "; do sleep 0.01; done\n"
                                      << "test -e " << ended << " || { kill -KILL $(cat " << number << process
                                      << ") && echo killed; }\n"
                                      << "wait; exit $(cat " << ended << ")\n";
    Outcome outcome = run_command("sh " + (folder_ / "script"), 300);
    outcome.errors += read_text(said);
    return outcome;
  }

  bool has(const std::string& name) const { return fs::exists(folder_ / name); }

  TemporaryFolder folder_;
  const std::string field_ = folder_ / "field.lime";
};

TEST_F(KilledProcess, EndsTheOthersAndLeavesNoFile) {
  // In the middle of the setup, and as the solve starts.
  for (const auto& [text, process] : {std::pair{"relaxed noise: ", 1}, {"last level solved by its inverse", 0}}) {
    SCOPED_TRACE(text);
    const Outcome outcome = kill_at(text, process);
    EXPECT_TRUE(contains(outcome.output, "killed")) << outcome.errors;
    EXPECT_NE(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.exit_code, 124) << "the other process did not end: " << outcome.errors;
    EXPECT_FALSE(has("prop.lime"));
    EXPECT_FALSE(has("pion.json"));
  }
  const std::string two = std::string(KAON_MPIEXEC) + " " + KAON_MPIEXEC_NUMPROC_FLAG + " 2 ";
  const Outcome after = run_command("env OMP_NUM_THREADS=1 " + two + solve(), 300);
  EXPECT_EQ(after.exit_code, 0) << after.output << after.errors;
  EXPECT_TRUE(has("prop.lime") && has("pion.json") && has("vectors"));
}

}  // namespace KAON_TEST_FILE
