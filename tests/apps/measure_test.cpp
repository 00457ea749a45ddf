// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"
#include "tests/apps/running_program.hpp"
#include "tests/support/file_size_limit.hpp"

#include <nlohmann/json.hpp>

#ifdef KAON_TEST_HAS_HDF5
#include <hdf5.h>
#endif

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

using Json = nlohmann::json;

/// An input with point sources, whose lines the refusals name.
const std::string good = R"([quark.l]
action = "clover"
csw = 1.0
mass = 0.3
[quark.s]
action = "clover"
csw = 1.0
mass = 0.5
[source]
kind = "point"
sites = [[0, 0, 0, 0], [1, 2, 3, 5]]
[sink.wide]
width = 1.5
steps = 4
[[meson]]
quarks = ["l", "l"]
gammas = ["g5", "g4g5:g5"]
momenta = [[0, 0, 0], [0, 0, 1]]
sinks = ["point", "wide"]
[[meson]]
quarks = ["l", "s"]
[[baryon]]
kind = "nucleon"
quarks = ["l", "s"]
[solver]
tolerance = 1e-11
)";

/// `good` with the line that starts with `start` replaced.
std::string with(const std::string& start, const std::string& line) {
  const std::size_t begin = ("\n" + good).find("\n" + start);
  EXPECT_NE(begin, std::string::npos) << start;
  std::string text = good;
  return text.replace(begin, text.find('\n', begin) - begin, line);
}

/// A line of `with` with a nucleon's three-point functions before [solver], in line 25. `lines` replace its other keys.
std::string three_point(const std::string& lines) {
  return "[[three_point]]\nkind = \"nucleon\"\nquarks = [\"l\", \"s\"]\n" + lines + "\n[solver]";
}

class Measure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryFolder;
    expect_success("generate --size 4,4,4,8 --beta 6 --start hot --seed 5 --sweeps 2 --save-every 1 --output " +
                   (*shared_ / "q"));
  }
  static void TearDownTestSuite() { delete shared_; }

  static std::string field(int number) { return *shared_ / ("q_00000" + std::to_string(number) + ".lime"); }
  static std::string both() { return field(1) + " " + field(2); }

  /// Writes an input for a folder of its own and returns its name.
  std::string input(const std::string& folder, const std::string& format = "json", const std::string& text = good,
                    const std::string& layout = "plain") const {
    const std::string name = folder_ / (folder + ".toml");
    std::ofstream(name) << text << "[output]\nfolder = \"" << folder_ / folder << "\"\nformat = \"" << format
                        << "\"\nlayout = \"" << layout << "\"\n";
    return name;
  }

  Json result(const std::string& folder, int number) const {
    return Json::parse(read_text(folder_ / (folder + "/q_00000" + std::to_string(number) + ".json")));
  }

  TemporaryFolder folder_;
  static inline TemporaryFolder* shared_ = nullptr;
};

/// C(t) of one source, sink, momentum and channel.
std::vector<std::complex<double>> correlator(const Json& group, int source, int sink, int momentum, int channel) {
  std::vector<std::complex<double>> values;
  for (const Json& z : group.at("correlator")[source][sink][momentum][channel]) values.emplace_back(z[0], z[1]);
  return values;
}

TEST_F(Measure, HasThePionOfPropagator) {
  expect_success("measure " + input("out") + " " + field(1));
  const Json report = result("out", 1);
  EXPECT_EQ(report.at("format"), "kaon measurement");
  EXPECT_EQ(report.at("extents"), Json({4, 4, 4, 8}));
  const std::vector<std::pair<std::string, std::string>> cases{{"0,0,0,0", "0.3"}, {"1,2,3,5", "0.3"}};
  for (int source = 0; source < 2; ++source) {
    const std::string file = folder_ / "pion.json";
    expect_success("propagator --gauge " + field(1) + " --action clover --csw 1 --mass 0.3 --tolerance 1e-11 " +
                   "--source-site " + cases[static_cast<std::size_t>(source)].first + " --correlator " + file);
    const auto pion = Json::parse(read_text(file)).at("pion_correlator").get<std::vector<double>>();
    const auto measured = correlator(report.at("meson").at("l_l"), source, 0, 0, 0);
    for (std::size_t t = 0; t < pion.size(); ++t) {
      EXPECT_NEAR(measured[t].real(), pion[t], 1e-9 * pion[t]) << t;
      EXPECT_NEAR(measured[t].imag(), 0.0, 1e-12 * pion[t]) << t;
    }
  }
  EXPECT_EQ(report.at("provenance").at("solves").size(), 4u);
  for (const Json& solve : report.at("provenance").at("solves")) {
    for (const Json& residual : solve.at("residuals")) EXPECT_LE(residual.get<double>(), 1e-11);
  }
}

/// `good` with three random sources, solved for in batches of two. The first source is also solved for exactly.
std::string averaged() {
  const std::string sources = with("sites", "random = 3\ntogether = 2");
  return sources + "[sloppy]\ntolerance = 1e-3\n";
}

TEST_F(Measure, IsTheSameInJobsAndAfterAnEnd) {
  const std::string charges = with("[solver]", three_point("sink_times = [3]\nprojectors = [\"positive_z\"]"));
  for (const auto& [kind, text] : std::vector<std::pair<std::string, std::string>>{
           {"exact", good}, {"averaged", averaged()}, {"charges", charges}}) {
    const auto file = [&](const std::string& folder) { return input(kind + folder, "json", text) + " "; };
    expect_success("measure " + file("whole") + both());
    expect_success("measure " + file("jobs") + "--job 1/2 " + both());
    EXPECT_FALSE(std::filesystem::exists(folder_ / (kind + "jobs/q_000002.json")));
    expect_success("measure " + file("jobs") + "--job 2/2 " + both());
    RunningCommand killed = start_kaon("measure " + file("killed") + both());
    killed.wait_for_output("written");
    killed.send(SIGKILL);
    killed.status();
    expect_success("measure " + file("killed") + "--resume " + both());
    for (const char* folder : {"jobs", "killed"}) {
      for (const int number : {1, 2}) {
        const Json one = result(kind + "whole", number), other = result(kind + folder, number);
        EXPECT_EQ(one.at("meson"), other.at("meson")) << kind << folder << number;
        EXPECT_EQ(one.at("baryon"), other.at("baryon")) << kind << folder << number;
        if (kind == "charges") {
          EXPECT_EQ(one.at("three_point"), other.at("three_point")) << folder << number;
        }
      }
    }
    expect_failure("measure " + file("whole") + both(), usage, "is measured already");
  }
}

TEST_F(Measure, WritesBothEstimatesAndTheirDifference) {
  const Outcome outcome = expect_success("measure " + input("out", "json", averaged()) + " " + field(1));
  EXPECT_TRUE(contains(outcome.output, "  source 1/3, quark l: ")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "  source 3/3, quark s (sloppy): ")) << outcome.output;
  const Json report = result("out", 1);
  const Json& pion = report.at("meson").at("l_l");
  EXPECT_EQ(pion.at("sloppy").size(), 3U);
  EXPECT_EQ(pion.at("exact").size(), 1U);
  EXPECT_EQ(pion.at("correction").size(), 2U) << "sinks";
  const auto real = [&](const char* name, int source) { return pion.at(name)[source][1][0][0][3][0].get<double>(); };
  const auto correction = pion.at("correction")[1][0][0][3][0].get<double>();
  EXPECT_DOUBLE_EQ(correction, real("exact", 0) - real("sloppy", 0));
  EXPECT_NE(correction, 0.0);
  for (const int source : {0, 1, 2}) EXPECT_EQ(real("correlator", source), real("sloppy", source) + correction);
  std::size_t exact = 0;
  for (const Json& solve : report.at("provenance").at("solves")) {
    const bool is_sloppy = solve.contains("sloppy");
    exact += is_sloppy ? 0 : 1;
    for (const Json& residual : solve.at("residuals")) EXPECT_LE(residual.get<double>(), is_sloppy ? 1e-3 : 1e-11);
  }
  EXPECT_EQ(exact, 2U) << "quarks";
  EXPECT_EQ(report.at("provenance").at("solves").size(), 8U);
}

TEST_F(Measure, ContinuesAfterAConfigurationThatFails) {
  const std::string damaged = folder_ / "damaged.lime", missing = folder_ / "missing.lime";
  std::string bytes = read_text(field(1));
  bytes[bytes.size() / 2] ^= 4;
  std::ofstream(damaged, std::ios::binary) << bytes;
  const std::string file = input("out"), all = damaged + " " + field(2) + " " + missing;
  const Outcome outcome = expect_failure("measure " + file + " " + all, kaon::test::input, "2 of 3 failed");
  EXPECT_TRUE(contains(outcome.output, "1 measured, 0 done before, 2 failed")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "missing.lime, exit code 3: ")) << outcome.output;
  EXPECT_EQ(result("out", 2).at("format_version"), 1);
  const Outcome status = expect_success("measure --status " + file + " " + all);
  EXPECT_TRUE(contains(status.output, "damaged.lime: failed, exit code 3: ")) << status.output;
  EXPECT_TRUE(contains(status.output, "q_000002.lime: done")) << status.output;
  EXPECT_TRUE(contains(status.output, "1 done, 0 being measured, 2 failed, 0 left")) << status.output;
  const std::string loose = input("loose", "json", with("tolerance", "max_iterations = 1"));
  expect_failure("measure " + loose + " " + field(1), not_converged, "quark l, source 0: the solve did not reach");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "loose/q_000001.json"));
}

TEST_F(Measure, LeavesAConfigurationToTheRunThatHasIt) {
  const std::string file = input("out"), lock = folder_ / "out/q_000001.lock";
  std::filesystem::create_directory(folder_ / "out");
  const int held = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  const Outcome outcome =
      expect_failure("measure " + file + " " + both(), kaon::test::input, "another run writes the files");
  EXPECT_TRUE(contains(outcome.output, "1 measured, 0 done before, 1 failed")) << outcome.output;
  EXPECT_TRUE(contains(expect_success("measure --status " + file + " " + both()).output, "1.lime: being measured"));
  close(held);
  EXPECT_TRUE(contains(expect_success("measure --status " + file + " " + both()).output, "1.lime: failed"))
      << "the lock is gone";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/q_000001.json"));
}

TEST_F(Measure, SaysWhatItWillDo) {
  const Outcome outcome = expect_success("measure --dry-run " + input("out") + " " + both());
  EXPECT_TRUE(contains(outcome.output, "configurations 2: each has 2 sources and 48 solves")) << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  const std::string both_kinds =
      expect_success("measure --dry-run " + input("out", "json", averaged()) + " " + both()).output;
  EXPECT_TRUE(contains(both_kinds, "3 sources and 24 solves of one right-hand side, and 72 sloppy ones")) << both_kinds;
}

TEST_F(Measure, ReportsItsProgressAndItsCosts) {
  const std::string file = input("out");
  EXPECT_FALSE(contains(expect_success("measure --dry-run " + file + " " + both()).output, "the mean of"));
  const Outcome first = expect_success("measure --job 1/2 " + file + " " + both());
  for (const std::string text : {"  source 1/2, quark l: ", " iterations, residual ",
                                 "source 2/2, quark s: ", " left\n", "\ntime  ", " solve ", " contract ", " write "}) {
    EXPECT_TRUE(contains(first.output, text)) << text << "\n" << first.output;
  }
  const Json record = result("out", 1).at("provenance");
  const Json& seconds = record.at("seconds");
  for (const char* phase : {"read", "verify", "source", "solve", "contract"}) EXPECT_GT(seconds.at(phase), 0.0);
  EXPECT_FALSE(seconds.contains("start")) << "it is not a part of the configuration";

  // A line that a full disk has cut is left out.
  std::ofstream(folder_ / "out/campaign.jsonl", std::ios::app) << "{\"configuration\": \"q_0000";
  int iterations = 0;
  for (const Json& solve : record.at("solves")) {
    const auto of_columns = solve.at("iterations").get<std::vector<int>>();
    iterations += *std::ranges::max_element(of_columns);
  }
  const std::string status = expect_success("measure --status " + file + " " + both()).output;
  EXPECT_TRUE(contains(status, "1.lime: done, " + std::to_string(iterations) + " iterations, ")) << status;
  EXPECT_TRUE(contains(status, "2.lime: left\n")) << status;
  EXPECT_TRUE(contains(status, "\ntime          ")) << status;
  EXPECT_TRUE(contains(expect_success("measure --dry-run " + file + " " + both()).output, "the mean of 1 that"));

  expect_success("measure --resume " + file + " " + both());
  EXPECT_TRUE(contains(expect_success("measure --status " + file + " " + both()).output, "2.lime: done, "));
  // Costs of another input are no estimate.
  const std::string other = input("out", "json", with("tolerance", "tolerance = 1e-3"));
  EXPECT_FALSE(contains(expect_success("measure --dry-run " + other + " " + both()).output, "the mean of"));
}

TEST_F(Measure, EstimatesItsSolvesByEarlierOnes) {
  const std::string command = "env OMP_NUM_THREADS=1 KAON_TUNE=on KAON_TUNE_CACHE=" + (folder_ / "cache.json") + " " +
                              KAON_PROGRAM + " measure ";
  const auto dry_run = [&] { return run_command(command + "--dry-run " + input("other") + " " + field(1)).output; };
  EXPECT_FALSE(contains(dry_run(), " for solves: "));
  EXPECT_EQ(run_command(command + input("out") + " " + field(1)).exit_code, 0);
  EXPECT_TRUE(contains(dry_run(), " for solves: ")) << dry_run();
}

TEST_F(Measure, MovesOneLineOnATerminal) {
  if (run_command("script --version").exit_code != 0) GTEST_SKIP() << "there is no command script";
  const std::string command = std::string("env OMP_NUM_THREADS=1 ") + KAON_PROGRAM + " measure ";
  const Outcome outcome = run_command("script -qec '" + command + input("out") + " " + field(1) + "' /dev/null");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "\r\x1b[K1/1 q_000001: source 1/2, quark l, iteration ")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "written       ")) << outcome.output;
  EXPECT_FALSE(contains(outcome.output, "\n  source")) << outcome.output;
}

TEST_F(Measure, ReadsItsExampleAndDocumentsItsKeys) {
  const std::string name = folder_ / "example.toml";
  std::ofstream(name) << expect_success("measure --example spectrum").output;
#ifdef KAON_TEST_HAS_HDF5
  expect_success("measure --dry-run " + name + " " + std::string(KAON_EXAMPLES) + "/quenched_b6.0_8x8x8x16.nersc");
#endif
  const std::string documents = read_text(std::string(KAON_EXAMPLES) + "/../docs/measure.md");
  EXPECT_TRUE(contains(documents, expect_success("measure --keys").output))
      << "docs/measure.md lacks kaon measure --keys";
  const std::string fence = "\n```toml\n";
  const std::size_t begin = documents.find(fence) + fence.size();
  std::ofstream(folder_ / "document.toml") << documents.substr(begin, documents.find("```", begin) - begin);
#ifdef KAON_TEST_HAS_HDF5
  expect_success("measure --dry-run " + (folder_ / "document.toml") + " " + field(1));
#endif
}

TEST_F(Measure, DrawsOtherSourcesOnEachConfiguration) {
  const std::string file = input("out", "json", with("sites", "random = 3"));
  expect_success("measure " + file + " " + both());
  const Json first = result("out", 1).at("meson").at("l_l").at("source");
  EXPECT_EQ(std::set<Json>(first.begin(), first.end()).size(), 3u);
  EXPECT_NE(first, result("out", 2).at("meson").at("l_l").at("source"));
}

TEST_F(Measure, NamesLineAndKeyOfWrongInputs) {
  struct Wrong {
    std::string start, line, text;
  };
  const std::vector<Wrong> cases{
      // unknown keys and tables
      {"csw", "cws = 1.0", ":3: quark.l.cws: unknown key; did you mean csw?"},
      {"kind = \"point\"", "knd = \"point\"", ":10: source.knd: unknown key; did you mean kind?"},
      {"[solver]", "[slover]", ": slover: unknown key; did you mean solver?"},
      {"tolerance", "tolerence = 1e-9", ":26: solver.tolerence: unknown key; did you mean tolerance?"},
      {"gammas", "gamma = [\"g5\"]", ":17: meson[0].gamma: unknown key; did you mean gammas?"},
      {"width", "widht = 1.5", ":13: sink.wide.widht: unknown key; did you mean width?"},
      // wrong types
      {"mass", "mass = \"0.3\"", ":4: quark.l.mass: \"0.3\" is not a number"},
      {"action", "action = 3", ":2: quark.l.action: 3 is not a word in quotes"},
      {"steps", "steps = 4.5", ":14: sink.wide.steps: 4.5 is not an integer"},
      {"sites", "sites = [0, 0, 0, 0]", ":11: source.sites: [0,0,0,0] is not a list of sites"},
      {"momenta", "momenta = [[0, 0]]", ":18: meson[0].momenta: [[0,0]] is not a list of momenta"},
      {"gammas", "gammas = \"g5\"", ":17: meson[0].gammas: \"g5\" is not a list of words"},
      {"sinks", "sinks = []", ":19: meson[0].sinks: [] is not a list of words"},
      {"[source]", "[[source]]", "source: [{"},
      // numbers out of range
      {"mass", "mass = nan", ":4: quark.l.mass: nan is not a finite number"},
      {"width", "width = -1", ":13: sink.wide.width: -1 is not positive"},
      {"width", "width = 5.0", ":13: sink.wide.width: smearing to 5 in 4 steps grows without bound"},
      {"steps", "steps = 0", ":14: sink.wide.steps: 0 is below 1"},
      {"tolerance", "tolerance = 1.5", ":26: solver.tolerance: 1.5 is not below 1"},
      {"tolerance", "max_iterations = 0", ":26: solver.max_iterations: 0 is below 1"},
      {"sites", "sites = [[0, 0, 0, -1]]", ":11: source.sites: -1 is below 0"},
      {"momenta", "momentum_squared = 101", ":18: meson[0].momentum_squared: 101 is above 100"},
      // words
      {"action", "action = \"clovr\"", ":2: quark.l.action: 'clovr' is none of "},
      {"kind = \"point\"", "kind = \"pont\"", "did you mean point?"},
      {"gammas", "gammas = [\"g6\"]", ":17: meson[0].gammas[0]: 'g6' is none of the gamma matrices"},
      {"sinks", "sinks = [\"wid\"]", ":19: meson[0].sinks[0]: there is no sink 'wid', only point, wide"},
      {"quarks = [\"l\", \"l\"]", "quarks = [\"l\", \"u\"]",
       ":16: meson[0].quarks[1]: there is no quark 'u', only l, s"},
      {"kind = \"nucleon\"", "kind = \"nuclon\"", ":23: baryon[0].kind: 'nuclon' is none of "},
      {"tolerance", "method = \"cg\"", ":26: solver.method: quark l: "},
      // what does not fit
      {"csw", "", ":1: quark.l: csw is missing"},
      {"mass", "", ":1: quark.l: mass or kappa is missing"},
      {"mass", "mass = 0.3\nkappa = 0.12", "quark.l: mass and kappa are both given"},
      {"mass", "mass = 0.3\nm5 = 1.8", ":5: quark.l.m5: has no meaning with action = \"clover\""},
      {"sites", "", ":9: source: sites or random is missing"},
      {"sites", "sites = [[0, 0, 0, 0]]\nrandom = 1", ":9: source: sites and random are both given"},
      {"sites", "sites = [[0, 0, 0, 0]]\ntimes = [0]", ":12: source.times: has no meaning with kind = \"point\""},
      {"sites", "sites = [[0, 0, 0, 0], [0, 0, 0, 0]]", "source.sites[1]: [0,0,0,0] is in the list twice"},
      {"sites", "sites = [[0, 0, 0, 0]]\ntogether = 0", "source.together: 0 is below 1"},
      {"tolerance", "[sloppy]", "sloppy: tolerance or iterations is missing"},
      {"tolerance", "[sloppy]\ntolerance = 1e-3\niterations = 4", "sloppy: tolerance and iterations are both given"},
      {"tolerance", "[sloppy]\ntolerance = 2", "sloppy.tolerance: 2 is not below 1"},
      {"tolerance", "tolerance = 1e-6\n[sloppy]\ntolerance = 1e-7",
       "sloppy.tolerance: 1e-07 is below solver.tolerance"},
      {"tolerance", "[sloppy]\ntolerance = -1", "sloppy.tolerance: -1 is not positive"},
      {"tolerance", "[sloppy]\niterations = 0", "sloppy.iterations: 0 is below 1"},
      {"tolerance", "[sloppy]\niterations = 2.5", "sloppy.iterations: 2.5 is not an integer"},
      {"tolerance", "[sloppy]\niterations = 2\nexact = 3", "sloppy.exact: 3 is above the number of sources, 2"},
      {"tolerance", "[sloppy]\niterations = 2\nexact = 0", "sloppy.exact: 0 is below 1"},
      {"tolerance", "[sloppy]\niteration = 2", "sloppy.iteration: unknown key; did you mean iterations?"},
      {"quarks = [\"l\", \"l\"]", "quarks = [\"l\"]", ":16: meson[0].quarks: 2 quarks are needed, not 1"},
      {"quarks = [\"l\", \"l\"]", "quarks = [\"l\", \"s\"]", "there is another meson l_s"},
      {"[sink.wide]", "[sink.point]", "sink.point: the sink 'point' exists already"},
      // three-point functions
      {"[solver]", three_point(""), ":25: three_point[0]: sink_times is missing"},
      {"[solver]", three_point("sink_time = [3]"),
       ":28: three_point[0].sink_time: unknown key; did you mean sink_times?"},
      {"[solver]", three_point("sink_times = [-1]"), ":28: three_point[0].sink_times: -1 is below 0"},
      {"[solver]", three_point("sink_times = [3, 3]"), "three_point[0].sink_times[1]: 3 is in the list twice"},
      {"[solver]", three_point("sink_times = [3]\nflavors = [\"s\"]"),
       ":29: three_point[0].flavors[0]: 's' is none of u, d"},
      {"[solver]", three_point("sink_times = [3]\ncurrents = [\"g6\"]"),
       ":29: three_point[0].currents[0]: 'g6' is no current"},
      {"[solver]", three_point("sink_times = [3]\ncurrents = [\"conserved5\"]"), "'conserved5' is no current"},
      {"[solver]", three_point("sink_times = [3]\nprojectors = [\"positve\"]"), "did you mean positive?"},
      {"[solver]", three_point("sink_times = [3]\nsinks = [\"wid\"]"), "there is no sink 'wid', only point, wide"},
      {"[solver]", three_point("sink_times = [3]\nsink_momenta = [[0, 0]]"),
       "three_point[0].sink_momenta: [[0,0]] is not a list"},
      {"[solver]", "[[three_point]]\nquarks = [\"l\"]\n[solver]", ":25: three_point[0]: kind is missing"},
      {"[solver]", "[[three_point]]\nkind = \"pion\"\n[solver]",
       ":26: three_point[0].kind: 'pion' is none of meson, nucleon"},
      // momenta, currents and tastes
      {"mass", "mass = 0.3\nmomentum = [0, 1]", ":5: quark.l.momentum: [0,1] is not a momentum: [0, 0, 1]"},
      {"mass", "mass = 0.3\nmomentum = [0, 0, 1]", ":5: quark.l.momentum: point sources have all momenta already"},
      {"[source]", "[current.v]\ngamma = \"g4\"\n[source]", ":9: current.v: quark is missing"},
      {"[source]", "[current.v]\nquark = \"u\"\ngamma = \"g4\"\n[source]",
       ":10: current.v.quark: there is no quark 'u', only l, s"},
      {"[source]", "[current.s]\nquark = \"l\"\ngamma = \"g4\"\n[source]", ":9: current.s: there is a quark 's'"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g6\"\n[source]",
       ":11: current.v.gamma[0]: 'g6' is none of 1, g5"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g4\"\ntime = -1\n[source]", "current.v.time: -1 is below 0"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g4\"\n[current.w]\nquark = \"v\"\ngamma = \"g4\"\n[source]",
       ":13: current.w.quark: v has a current already"},
      {"[source]", "[current.v]\nquark = \"l\"\ngamma = \"g4\"\nmoment = [0, 0, 1]\n[source]",
       "current.v.moment: unknown key; did you mean momentum?"},
      {"[source]",
       "[quark.h]\naction = \"twisted-doublet\"\nmass = 0.3\nmu = 0.1\nepsilon = 0.1\n[current.v]\n"
       "quark = \"h.0\"\ngamma = \"g4\"\n[source]",
       "current.v.quark: h.0 is no quark of one flavor with spin"},
      {"quarks = [\"l\", \"s\"]", "quarks = [\"l.0\", \"s\"]", "there is no quark 'l.0', only l, s"},
      {"kind = \"nucleon\"", "kind = \"open\"", ":24: baryon[0].quarks: 3 quarks are needed, not 2"},
      {"quarks = [\"l\", \"s\"]",
       "quarks = [\"k\", \"k\"]\ngammas = [\"g5-g6\"]\n[quark.k]\naction = \"staggered\"\nmass = 0.1",
       ":22: meson[1].gammas[0]: 'g5-g6' is no operator of staggered mesons"},
      // no TOML
      {"mass", "mass = ", ":4: this is no TOML: "},
      {"mass", "csw = 2.0", ":4: this is no TOML: "},
      {"[quark.l]", "[quark.l", ":1: this is no TOML: "},
  };
  for (const Wrong& wrong : cases) {
    SCOPED_TRACE(wrong.line);
    const std::string file = input("wrong", "json", with(wrong.start, wrong.line));
    const Outcome outcome = expect_failure("measure " + file + " " + field(1), usage, wrong.text);
    EXPECT_TRUE(contains(outcome.errors, "wrong.toml")) << outcome.errors;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "wrong"));
}

TEST_F(Measure, HasAConservedChargeInThreePointFunctions) {
  const std::string keys = "sink_times = [3]\ncurrents = [\"conserved4\", \"g4d4\", \"gi\"]";
  const std::string file = input("out", "json", with("[solver]", three_point(keys)));
  expect_success("measure " + file + " " + field(1));
  const Json measured = result("out", 1);
  const Json& nucleon = measured.at("baryon").at("nucleon_l_s").at("correlator");
  for (const auto& [flavor, charge] : {std::pair("u", 2.0), {"d", 1.0}}) {
    const Json& group = measured.at("three_point").at(std::string("nucleon_l_s_") + flavor + "_positive_t3_p0_0_0");
    EXPECT_EQ(group.at("channel"), Json({"conserved4", "g4d4", "g1", "g2", "g3"}));
    EXPECT_EQ(group.at("sink_time"), 3);
    for (std::size_t source = 0; source < 2; ++source) {
      const auto at = [](const Json& number) { return std::complex(number[0].get<double>(), number[1].get<double>()); };
      const Json& current = group.at("correlator")[source][0][0][0];
      const std::complex<double> two_point = at(nucleon[source][0][0][0][3]);
      // The current before the source is that of quarks that wind around the lattice.
      for (const std::size_t t : {0U, 1U, 2U}) {
        EXPECT_LT(std::abs(at(current[t]) - at(current[7]) - charge * two_point), 1e-8 * std::abs(two_point)) << t;
      }
    }
  }
  const std::string late = input("late", "json", with("[solver]", three_point("sink_times = [8]")));
  const Outcome outcome = run_command(std::string(KAON_PROGRAM) + " measure " + late + " " + field(1));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.output + outcome.errors, "three_point.sink_times: 8 is not below 8")) << outcome.errors;
}

TEST_F(Measure, RefusesWrongCommandLines) {
  const std::string file = input("out");
  const std::string outside = input("outside", "json", with("sites", "sites = [[0, 0, 0, 8]]"));
  const std::string json = folder_ / "input.json";
  std::ofstream(json) << "{\n  \"quark\": {\n";
  expect_refusals("measure ", {
                                  {"", "INPUT is missing"},
                                  {file, "CONFIGURATION is missing"},
                                  {file + " " + both() + " --job 3/2", "--job: '3/2' is no job"},
                                  {file + " " + both() + " --job 0/2", "--job: 0 is no number of a job"},
                                  {file + " " + both() + " --job 2", "--job: '2' is no job"},
                                  {file + " " + field(1) + " --job 2/2", "--job: 2/2 has none of 1 configurations"},
                                  {file + " " + both() + " --resume --overwrite", "contradict each other"},
                                  {file + " " + field(1) + " " + field(1), "two have the name q_000001"},
                                  {(folder_ / "none.toml") + " " + field(1), "none.toml: the file"},
                                  {json + " " + field(1), "input.json:3: this is no JSON"},
                                  {"--example spectra", "'spectra' is no example"},
                                  {outside + " " + field(1), "source.sites: 0,0,0,8 is not on the 4x4x4x8 lattice", 3},
                              });
}

#ifdef KAON_TEST_HAS_HDF5
/// Complex numbers of a data set, whose members have these names.
std::vector<std::complex<double>> read_complex(const std::string& file, const std::string& set, const char* real,
                                               const char* imaginary) {
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(opened, 0) << file;
  const hid_t data = H5Dopen2(opened, set.c_str(), H5P_DEFAULT);
  EXPECT_GE(data, 0) << set;
  const hid_t stored = H5Dget_type(data), space = H5Dget_space(data);
  for (unsigned member = 0; member < 2; ++member) {
    char* const name = H5Tget_member_name(stored, member);
    EXPECT_STREQ(name, member == 0 ? real : imaginary);
    H5free_memory(name);
  }
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  H5Tinsert(type, real, 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, imaginary, sizeof(double), H5T_NATIVE_DOUBLE);
  std::vector<std::complex<double>> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Tclose(type);
  H5Tclose(stored);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(opened);
  return values;
}

TEST_F(Measure, LeavesNoFileOnAFullDisk) {
  const std::string file = input("out", "hdf5");
  {
    constexpr rlim_t bytes = 3000;
    const FileSizeLimit limit(bytes);
    expect_failure("measure " + file + " " + field(1), kaon::test::input, "CONFIGURATION: 1 of 1 failed");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/q_000001.h5"));
  expect_success("measure --resume " + file + " " + field(1));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/q_000001.h5"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "out"), {}), 2)
      << "the measurement and campaign.jsonl";
}

TEST_F(Measure, WritesTheSameNumbersToHdf5) {
  expect_success("measure " + input("json") + " " + field(1));
  expect_success("measure " + input("plain", "hdf5") + " " + field(1));
  expect_success("measure " + input("hadrons", "hdf5", good, "hadrons") + " " + field(1));
  const Json group = result("json", 1).at("meson").at("l_l");
  const auto all = read_complex(folder_ / "plain/q_000001.h5", "/meson/l_l/correlator", "r", "i");
  std::size_t next = 0;
  for (int source = 0; source < 2; ++source) {
    for (int sink = 0; sink < 2; ++sink) {
      for (int momentum = 0; momentum < 2; ++momentum) {
        const std::string file =
            folder_ / ("hadrons/meson_l_l_" + std::string(sink == 0 ? "point" : "wide") + "_s" +
                       std::to_string(source) + "_p0_0_" + std::to_string(momentum) + ".000001.h5");
        for (int channel = 0; channel < 2; ++channel) {
          const auto expected = correlator(group, source, sink, momentum, channel);
          EXPECT_EQ(read_complex(file, "/meson/meson_" + std::to_string(channel) + "/corr", "re", "im"), expected);
          for (const std::complex<double>& value : expected) EXPECT_EQ(all.at(next++), value);
        }
      }
    }
  }
  EXPECT_EQ(next, all.size());
}
#else
TEST_F(Measure, RefusesHdf5BeforeItMeasures) {
  expect_failure("measure " + input("out", "hdf5") + " " + field(1), usage,
                 "output.format: this build of kaon has no HDF5");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}
#endif

}  // namespace KAON_TEST_FILE
