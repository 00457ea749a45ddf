// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::json;

/// The last line, "time          1.25 s: start 0.25, read 1.00": seconds of phases, with "total".
std::map<std::string, double> phases_of(const std::string& output) {
  const std::size_t begin = output.rfind("\ntime  ");
  if (begin == output.npos || output.find('\n', begin + 1) != output.size() - 1) return {};
  std::istringstream text(output.substr(begin + 5));
  std::map<std::string, double> phases;
  std::string word, rest;
  text >> phases["total"] >> word;
  while (text >> word) {
    text >> phases[word];
    text.get();  // the comma
  }
  return phases;
}

double sum_without_total(const std::map<std::string, double>& phases) {
  double sum = 0.0;
  for (const auto& [name, seconds] : phases) sum += name == "total" ? 0.0 : seconds;
  return sum;
}

class PhasesOfProgram : public testing::Test {
 protected:
  PhasesOfProgram() {
    expect_success("generate --size 4,4,4,4 --beta 6 --sweeps 1 --output " + (folder_ / "g"));
    std::rename((folder_ / "g_000001.lime").c_str(), file_.c_str());
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "links.lime";
};

TEST_F(PhasesOfProgram, AddUpAtTheEndOfEverySubcommand) {
  const std::string out = folder_ / "out";
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"plaquette " + file_, {"read", "verify"}},
      {"convert " + file_ + " " + out + ".lime", {"read", "verify", "write"}},
      {"propagator --gauge " + file_ + " --mass 0.5 --output " + out + ".p",
       {"read", "verify", "setup", "solve", "contract", "write"}},
      {"generate --size 4,4,4,4 --beta 6 --sweeps 1 --output " + out, {"update", "write"}},
      {"hmc --size 4,4,4,4 --beta 6 --trajectories 1 --output " + out + "_h", {"update", "write"}},
      {"hmc --size 4,4,4,4 --beta 6 --kappa 0.1 --flavors 1 --steps 1,1 --trajectories 1 --output " + out + "_r",
       {"solve", "update", "write"}},
      {"hmc --size 4,4,4,4 --beta 6 --steps 4 --tune-steps 0.5 --trajectories 1 --output " + out + "_t", {"update"}},
      {"eigenvalues --gauge " + file_ + " --mass 0.5 --count 1 --tolerance 1e-3", {"read", "verify", "solve"}},
      {"fix-gauge " + file_ + " --condition landau --tolerance 1", {"read", "verify", "update"}},
      {"smear " + file_ + " --method stout", {"read", "verify", "update", "contract"}},
      {"flow " + file_ + " --steps 1", {"read", "verify", "update", "contract"}},
      {"smear-links --gauge " + file_ + " --action hisq --fat " + out + ".fat --long " + out + ".long",
       {"read", "verify", "update", "write"}}};
  for (const auto& [arguments, names] : commands) {
    SCOPED_TRACE(arguments);
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = expect_success(arguments);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::map<std::string, double> phases = phases_of(outcome.output);
    ASSERT_FALSE(phases.empty()) << outcome.output;
    EXPECT_TRUE(phases.contains("start"));
    EXPECT_TRUE(phases.contains("leave"));
    for (const std::string& name : names) EXPECT_TRUE(phases.contains(name)) << name << "\n" << outcome.output;
    const double rounding = 0.005 * static_cast<double>(phases.size());
    EXPECT_NEAR(sum_without_total(phases), phases["total"], rounding);
    EXPECT_LE(phases["total"], elapsed.count() + rounding);
  }
}

// The shell is the process that becomes the program.
TEST_F(PhasesOfProgram, BeginWithTheProcess) {
  const Outcome outcome = run_command("sh -c 'sleep 0.3; exec " KAON_PROGRAM " plaquette " + file_ + "'", 60);
  EXPECT_GE(phases_of(outcome.output)["start"], 0.3) << outcome.output;
}

TEST_F(PhasesOfProgram, AreInReports) {
  const std::string report = folder_ / "c.json";
  const Outcome text = expect_success("propagator --gauge " + file_ + " --mass 0.5 --correlator " + report +
                                      " --output " + (folder_ / "p.lime"));
  const auto of_file = Json::parse(read_text(report)).at("phases").get<std::map<std::string, double>>();
  EXPECT_NEAR(sum_without_total(of_file), of_file.at("total"), 1e-9);
  EXPECT_GT(of_file.at("solve"), 0.0);
  EXPECT_GT(of_file.at("write"), 0.0);  // of the propagator, whose file is complete by then
  EXPECT_LE(of_file.at("total"), phases_of(text.output)["total"] + 0.005);

  for (const std::string command :
       {"plaquette", "smear --method ape", "flow --steps 1", "fix-gauge --condition landau"}) {
    SCOPED_TRACE(command);
    const Json json = Json::parse(run_kaon(command + " " + file_ + " --json").output);  // no line follows
    EXPECT_GT(json.at("phases").at("verify"), 0.0);
  }
  const Json checkpoint = Json::parse(read_text(folder_ / "g.checkpoint.json"));
  EXPECT_GT(checkpoint.at("phases").at("update"), 0.0);
}

TEST_F(PhasesOfProgram, AreNotWrittenWithoutWork) {
  for (const std::string arguments : {"info", "tune", "measure --keys", "--help"}) {
    EXPECT_FALSE(contains(expect_success(arguments).output, "\ntime  ")) << arguments;
  }
}

}  // namespace KAON_TEST_FILE
