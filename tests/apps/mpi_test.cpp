// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/rewrite_records.hpp"
#include "tests/apps/running_program.hpp"
#include "tests/support/largest_difference.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string launcher(int processes) {
  return std::string(KAON_MPIEXEC) + " " + KAON_MPIEXEC_NUMPROC_FLAG + " " + std::to_string(processes) + " ";
}

/// Ended, with exit code 124, if it takes longer than ten minutes.
Outcome run_on(int processes, const std::string& arguments) {
  return run_command("env OMP_NUM_THREADS=1 " + launcher(processes) + KAON_PROGRAM + " " + arguments, 600);
}

Outcome expect_success_on(int processes, const std::string& arguments) {
  const Outcome outcome = run_on(processes, arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << outcome.output << outcome.errors;
  return outcome;
}

/// All processes end with the exit code, after one message, which has the text.
void expect_failure_on(int processes, const std::string& arguments, int exit_code, const std::string& text) {
  const Outcome outcome = run_on(processes, arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << arguments << outcome.output << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "error: "), 1) << arguments << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, text), 1) << arguments << outcome.errors;
}

TEST(ProgramOnTwoProcesses, SaysThingsOnce) {
  const Outcome outcome = run_on(2, "info --size 8,8,8,16");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(count_of(outcome.output, "Kokkos"), 1) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "processes         2")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "transport         ")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "process grid      1x1x1x2 (2 processes), 8x8x8x8 sites on each"))
      << outcome.output;
  const Json json = Json::parse(expect_success_on(2, "info --json --size 8,8,8,16 --grid 2,1,1,1").output);
  EXPECT_EQ(json.at("processes"), 2);
  EXPECT_EQ(json.at("local_extents"), (std::vector<int>{4, 8, 8, 16}));
}

TEST(ProgramOnTwoProcesses, ChoosesASolverByTheRecordsOfTheFirst) {
  const TemporaryFolder folder;
  const std::string solve = std::string(KAON_PROGRAM) + " propagator --weak 0.3 --mass 0.1 --csw 1 --size 8,8,8,8";
  const std::string for_multigrid = folder / "a.json", damaged = folder / "b.json";
  const auto run = [&](const std::string& first, const std::string& second) {
    const auto with = [](const std::string& cache) { return "env KAON_TUNE=on KAON_TUNE_CACHE=" + cache + " "; };
    const Outcome outcome = run_command("env OMP_NUM_THREADS=1 " + launcher(1) + with(first) + solve + " : " +
                                            KAON_MPIEXEC_NUMPROC_FLAG + " 1 " + with(second) + solve,
                                        600);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
    return count_of(outcome.errors, "multigrid is predicted to be faster");
  };
  EXPECT_EQ(run(for_multigrid, damaged), 0);
  rewrite_records(for_multigrid, {2e7, 1e6, 1.0});
  std::ofstream(damaged) << "{\"kaon_tuning\": 6, damaged";
  EXPECT_EQ(run(damaged, for_multigrid), 0);
  std::ofstream(damaged) << "{\"kaon_tuning\": 6, damaged";
  EXPECT_EQ(run(for_multigrid, damaged), 1);
}

/// Correlators of mesons and baryons, and three-point functions of Wilson and domain wall quarks.
constexpr const char* measured_hadrons = R"([quark.l]
action = "wilson"
mass = 0.5
[quark.w]
action = "domain-wall"
mass = 0.8
slices = 2
b = 1.5
c = 0.5
[source]
kind = "gaussian"
sites = [[1, 2, 3, 5]]
[sink.wide]
[solver]
tolerance = 1e-12
[[meson]]
quarks = ["l", "l"]
gammas = ["gi"]
momentum_squared = 1
[[baryon]]
kind = "delta_x"
quarks = ["l"]
[[three_point]]
kind = "nucleon"
quarks = ["l", "l"]
sink_times = [3]
sink_momenta = [[0, 1, 0]]
projectors = ["positive_z"]
currents = ["all", "conserved4", "conserved1", "g2d3"]
momentum_squared = 1
sinks = ["point", "wide"]
[[three_point]]
kind = "meson"
quarks = ["w", "w"]
sink_times = [3]
currents = ["g4", "conserved4", "conserved3"]
momentum_squared = 1
)";

TEST(ProgramOnTwoProcesses, MeasuresAsOnOneAndOnFour) {
  const TemporaryFolder folder;
  const std::string field = folder / "q";
  EXPECT_EQ(run_on(1, "generate --size 4,4,4,8 --beta 6 --start hot --sweeps 1 --output " + field).exit_code, 0);
  std::vector<Json> found;
  for (const int processes : {1, 2, 4}) {
    const std::string output = folder / std::to_string(processes), input = output + ".toml";
    std::ofstream(input) << measured_hadrons << "[output]\nformat = \"json\"\nfolder = \"" << output << "\"\n";
    const std::string command = "measure " + input + " " + field + "_000001.lime";
    // mpiexec is a terminal, on which a run of one process moves a line.
    const Outcome outcome = processes == 1 ? expect_success(command) : expect_success_on(processes, command);
    EXPECT_EQ(count_of(outcome.output, "source 1/1, quark l:"), 5) << "one propagator and four sequential ones";
    found.push_back(Json::parse(read_text(output + "/q_000001.json")));
    expect_failure_on(processes, "measure --resume " + input + " " + field + "_000002.lime", 3,
                      "000002.lime does not exist");
  }
  std::size_t hadrons = 0;
  for (const char* kind : {"meson", "baryon", "three_point"}) {
    for (const auto& [name, hadron] : found.front().at(kind).items()) {
      ++hadrons;
      const Json expected = hadron.at("correlator").flatten();
      double largest = 0.0;
      for (const Json& number : expected) largest = std::max(largest, std::abs(number.get<double>()));
      for (std::size_t n : {1U, 2U}) {
        SCOPED_TRACE(name + " on " + std::to_string(2 * n) + " processes");
        const Json numbers = found[n].at(kind).at(name).at("correlator").flatten();
        ASSERT_EQ(numbers.size(), expected.size());
        double apart = 0.0;
        for (const auto& [place, number] : expected.items()) {
          apart = larger(apart, std::abs(number.get<double>() - numbers.at(place).get<double>()));
        }
        EXPECT_LT(apart, 1e-10 * largest);
      }
    }
  }
  EXPECT_EQ(hadrons, 2U + 2U + 1U);
}

TEST(ProgramOnTwoProcesses, GivesWarningsOfKokkosOnce) {
  const std::string too_many = std::to_string(std::thread::hardware_concurrency() + 1);
  const Outcome outcome =
      run_command("env OMP_NUM_THREADS=" + too_many + " " + launcher(2) + KAON_PROGRAM + " info", 600);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "oversubscribing"), 1) << outcome.errors;
}

TEST(ProgramOnTwoProcesses, RefusesMistakesOnce) {
  expect_failure_on(2, "propagator --unit --size 4,4,4,4 --mass 0.1 --kappa 0.13", usage,
                    "--mass and --kappa are both given");
  expect_failure_on(2, "info --size 4,4,4,4 --grid 1,1,0,2", usage, "--grid: 0 is no number of processes");
  expect_failure_on(2, "info --size 4,4,4,4 --grid 2,2,1,1", usage, "--grid: process grid 2x2x1x1 has 4 processes");
  expect_failure_on(2,
                    "propagator --unit --size 4,4,4,4 --grid 2,1,1,1 --action staggered --mass 0.1 --solver multigrid",
                    usage, "--solver: multigrid: aggregates of 2x2x2x2 sites do not fit local lattice 2x4x4x4");
  expect_failure_on(3, "info --size 4,4,4,4", usage, "--size: no grid of 3 processes cuts lattice 4x4x4x4");
}

/// Two processes, each of which runs a command line of its own.
Outcome run_differing(const std::string& first, const std::string& second) {
  const std::string one = std::string(" ") + KAON_MPIEXEC_NUMPROC_FLAG + " 1 env OMP_NUM_THREADS=1 ";
  return run_command(KAON_MPIEXEC + one + first + " :" + one + second, 600);
}

void expect_differing_failure(const std::string& first, const std::string& second, int exit_code,
                              const std::string& text) {
  const Outcome outcome = run_differing(first, second);
  EXPECT_EQ(outcome.exit_code, exit_code) << first << second << outcome.output << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "error: "), 1) << first << second << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, text), 1) << first << second << outcome.errors;
}

TEST(ProgramOnTwoProcesses, WantsOneCommandLine) {
  const std::string program = std::string(KAON_PROGRAM) + " ";
  const std::string solve = "propagator --unit --size 4,4,4,8 --mass 0.2";
  const std::string text = "processes were given different command lines, ";
  for (const std::string other : {"propagator --unit --size 4,4,4,8 --mass 0.3", "--help", "--nope"}) {
    expect_differing_failure(program + solve, program + other, usage,
                             text + "'" + solve + "' (process 0) and '" + other + "' (process 1)");
  }
  expect_differing_failure(program + "--help", program + solve, usage, text + "'--help' (process 0)");
}

TEST(ProgramOnTwoProcesses, EndsAlikeWithoutAnAction) {
  EXPECT_EQ(expect_success_on(2, "propagator --help").output, expect_success("propagator --help").output);
  expect_failure_on(2, "--nope", usage, "kaon: error: --nope: unknown option");
}

TEST(ProgramOnTwoProcesses, TunesAsTheFirstProcessIsTold) {
  const std::string program = std::string(KAON_PROGRAM) + " propagator --unit --size 4,4,4,8 --mass 0.2";
  for (const auto& [first, second] :
       {std::pair("KAON_TUNE=off ", "KAON_TUNE=on "), std::pair("KAON_TUNE=on ", "KAON_TUNE=off ")}) {
    const Outcome outcome = run_differing(first + program, second + program);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  }
}

TEST(ProgramOnTwoProcesses, ReportsAStandardOutputThatIsFullOnce) {
  const Outcome outcome = run_differing(std::string("sh -c \"exec ") + KAON_PROGRAM + " info >/dev/full\"",
                                        std::string(KAON_PROGRAM) + " info");
  EXPECT_EQ(outcome.exit_code, input) << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "standard output cannot be written: No space left on device"), 1)
      << outcome.errors;
}

/// A folder with a gauge field, made by one process.
class ProgramOnProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    expect_success("generate --size 8,4,4,8 --beta 5.7 --start hot --seed 7 --sweeps 1 --output " + (folder_ / "run"));
    fs::rename(folder_ / "run_000001.lime", field_);
  }

  static std::vector<double> pion(const std::string& file) {
    return Json::parse(read_text(file)).at("pion_correlator").get<std::vector<double>>();
  }
  static void expect_pion(const std::string& file, const std::vector<double>& expected, double tolerance) {
    const std::vector<double> found = pion(file);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t t = 0; t < found.size(); ++t) EXPECT_NEAR(found[t], expected[t], tolerance * expected[t]);
  }

  TemporaryFolder folder_;
  const std::string field_ = folder_ / "field.lime";
};

TEST_F(ProgramOnProcesses, FilesDoNotDependOnTheirNumber) {
  const Json one = Json::parse(expect_success("plaquette --json " + field_).output);
  for (const auto& [processes, grid] : {std::pair{2, "2,1,1,1"}, {4, "1,1,2,2"}, {8, "2,2,2,1"}}) {
    const std::string out = folder_ / "out.lime";
    const std::string arguments = "convert " + field_ + " " + out + " --grid " + grid;
    const Outcome outcome = expect_success_on(processes, arguments);
    EXPECT_EQ(count_of(outcome.output, "process grid  "), 1) << outcome.output;
    EXPECT_EQ(count_of(outcome.output, "written "), 1) << outcome.output;
    EXPECT_TRUE(links_of(out) == links_of(field_)) << arguments;
    const Json several =
        Json::parse(expect_success_on(processes, "plaquette --json " + out + " --grid " + grid).output);
    EXPECT_EQ(several.at("checksum"), one.at("checksum"));
    EXPECT_EQ(several.at("provenance").at("processes"), processes);
    for (const char* key : {"plaquette", "plaquette_spatial", "plaquette_temporal", "link_trace"}) {
      EXPECT_NEAR(several.at(key).get<double>(), one.at(key).get<double>(), 1e-14) << grid << key;
    }
  }
}

TEST_F(ProgramOnProcesses, RunsMayBeResumedOnAnotherNumber) {
  const auto generate = [&](const std::string& prefix, const std::string& more) {
    return "generate --size 8,4,4,8 --beta 5.7 --overrelaxation 1 --start hot --seed 3 --save-every 2 --output " +
           (folder_ / prefix) + " " + more;
  };
  expect_success(generate("whole", "--sweeps 4"));
  expect_success_on(2, generate("parts", "--sweeps 2"));
  const Outcome resumed = expect_success_on(4, generate("parts", "--sweeps 4 --resume --grid 2,1,1,2"));
  EXPECT_EQ(count_of(resumed.output, "resumed after 2 updates"), 1) << resumed.output;
  for (const char* name : {"_000002.lime", "_000004.lime"}) {
    EXPECT_TRUE(links_of(folder_ / ("whole" + std::string(name))) == links_of(folder_ / ("parts" + std::string(name))))
        << name;
  }
}

// A signal of one process stops all after the same update, as does one that the launcher forwards.
TEST_F(ProgramOnProcesses, StopTogether) {
  const std::string run = "generate --size 8,4,4,8 --beta 5.7 --overrelaxation 1 --report-every 1 --output ";
  const std::string endless = run + (folder_ / "parts") + " --sweeps 100000000 --resume ";
  const auto checkpoint = [&](const std::string& prefix) {
    return Json::parse(read_text(folder_ / (prefix + ".checkpoint.json")));
  };
  expect_success_on(2, run + (folder_ / "parts") + " --sweeps 2");
  const std::string number = folder_ / "number", start = folder_ / "start";
  std::ofstream(start) << "test $1 = 0 || echo $$ >" << number << "\nexec " << KAON_PROGRAM << " " << endless << "\n";
  const std::string one = std::string(" ") + KAON_MPIEXEC_NUMPROC_FLAG + " 1 sh " + start + " ";
  int updates = 2;
  const auto expect_stop = [&](RunningCommand& stopped, const std::string& name) {
    EXPECT_NE(stopped.status(), 0);
    EXPECT_EQ(count_of(stopped.output(), "stopped by " + name + " after "), 1) << stopped.output() << stopped.errors();
    EXPECT_EQ(count_of(stopped.output(), "continue, under the same launcher, by: kaon generate "), 1);
    EXPECT_GT(checkpoint("parts").at("updates"), updates);
    updates = checkpoint("parts").at("updates");
    EXPECT_FALSE(fs::exists(folder_ / "parts.lock"));
  };
  {
    RunningCommand stopped(KAON_MPIEXEC + one + "0 :" + one + "1");
    stopped.wait_for_output("  " + std::to_string(updates + 3) + " ");
    kill(static_cast<pid_t>(std::stol(read_text(number))), SIGTERM);
    expect_stop(stopped, "SIGTERM");
  }
  {
    RunningCommand stopped(launcher(2) + KAON_PROGRAM + " " + endless);
    stopped.wait_for_output("  " + std::to_string(updates + 3) + " ");
    stopped.send(SIGUSR1);
    if (stopped.ends(std::chrono::seconds(20))) {
      expect_stop(stopped, "SIGUSR1");
    } else {  // mpirun of Open MPI 4.1.6 has not forwarded it
      stopped.send(SIGTERM);
      EXPECT_NE(stopped.status(), 0);
    }
  }
  const Outcome limited = run_on(2, endless + "--time-limit 4");
  EXPECT_EQ(limited.exit_code, 5) << limited.output << limited.errors;
  updates = checkpoint("parts").at("updates");
  expect_success_on(2, run + (folder_ / "whole") + " --sweeps " + std::to_string(updates));
  for (const char* part : {"links_checksum", "plaquettes"}) {
    EXPECT_EQ(checkpoint("parts").at(part), checkpoint("whole").at(part)) << part;
  }
}

TEST_F(ProgramOnProcesses, ALockedPrefixEndsAllWithOneMessage) {
  const std::string generate = "generate --size 4,4,4,4 --beta 6 --sweeps 1 --output " + (folder_ / "e");
  const int lock = open((folder_ / "e.lock").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  const auto entries = folder_.entries();
  expect_failure_on(2, generate, input, "another run writes the files of");
  EXPECT_EQ(folder_.entries(), entries);
  close(lock);
  expect_success_on(2, generate);
  EXPECT_FALSE(fs::exists(folder_ / "e.lock"));
  expect_failure_on(2, generate, usage, "--resume continues it, --overwrite replaces it");
  expect_success_on(2, generate + " --overwrite");
  fs::copy_file(folder_ / "run.checkpoint-a.lime", folder_ / "e.checkpoint-a.lime",
                fs::copy_options::overwrite_existing);
  expect_failure_on(2, generate + " --resume", input, "--resume: ");
  expect_failure_on(2, "convert " + field_ + " " + (folder_ / "./field.lime"), usage, "is the file of IN");
}

TEST_F(ProgramOnProcesses, PropagatorsAreThoseOfOneProcess) {
  const std::string solve = "propagator --gauge " + field_ + " --kappa 0.12 --csw 1.0 --tolerance 1e-12 --correlator ";
  expect_success(solve + (folder_ / "one.json"));
  const std::vector<double> expected = pion(folder_ / "one.json");
  // Every pair of a number of processes, a solver and a precision.
  for (const bool four : {false, true}) {
    for (const bool in_blocks : {false, true}) {
      const int processes = four ? 4 : 2;
      const std::string solver = in_blocks ? "gcr-dd" : "bicgstab";
      const std::string precision = four == in_blocks ? "double-half" : "double";
      SCOPED_TRACE(solver + " in " + precision + " on " + std::to_string(processes));
      const std::string file = folder_ / "many.json";
      expect_success_on(processes, solve + file + " --solver " + solver + " --precision " + precision);
      expect_pion(file, expected, 1e-9);
      EXPECT_EQ(Json::parse(read_text(file)).at("solver").at("name"), solver);
    }
  }
  for (const std::string precision : {"double-single", "double"}) {
    SCOPED_TRACE("rounded halos in " + precision);
    const std::string file = folder_ / "rounded.json";
    const Outcome outcome = expect_success_on(2, solve + file + " --halo half --precision " + precision);
    EXPECT_EQ(count_of(outcome.output, "halos at most in half"), 1) << outcome.output;
    expect_pion(file, expected, 1e-9);
    const Json solver = Json::parse(read_text(file)).at("solver");
    EXPECT_EQ(solver.at("halo"), "half");
    for (const Json& side : solver.at("right_hand_sides")) {
      EXPECT_LE(side.at("true_residual").get<double>(), 1e-12);
      EXPECT_EQ(side.at("fallbacks"), 0);
    }
  }
  for (const auto& [processes, grid] : {std::pair{2, "1,1,1,2"}, {4, "2,1,1,2"}}) {
    SCOPED_TRACE(grid);
    const std::string file = folder_ / "many.json";
    const Outcome outcome = expect_success_on(processes, solve + file + " --solver multigrid --grid " + grid);
    EXPECT_EQ(count_of(outcome.output, "last level solved by its inverse"), 1) << outcome.output;
    expect_pion(file, expected, 1e-9);
    EXPECT_EQ(Json::parse(read_text(file)).at("solver").at("name"), "multigrid");
  }
  expect_failure_on(2, solve + (folder_ / "no.json") + " --solver gcr-dd --links 8", usage, "--links: gcr-dd keeps");
}

// Smeared links to rounding, and all masses to the tolerance.
TEST_F(ProgramOnProcesses, SmearedLinksAndMassesAreThoseOfOneProcess) {
  const std::string smear = "smear-links --action asqtad --u0 0.9 --gauge " + field_;
  const auto files = [&](const std::string& name) {
    return " --fat " + (folder_ / (name + "-fat")) + " --long " + (folder_ / (name + "-long"));
  };
  expect_success(smear + files("one"));
  const std::string solve = "propagator --mass 0.2,0.5 --source corner-wall --tolerance 1e-11 --correlator ";
  expect_success(solve + (folder_ / "one.json") + files("one"));
  // Links of a file that is written on one grid and read on another; links that the solve makes itself.
  expect_success_on(2, smear + files("two") + " --grid 1,1,1,2");
  expect_success_on(2, solve + (folder_ / "two.json") + files("two") + " --grid 2,1,1,1");
  expect_success_on(2, solve + (folder_ / "made.json") + " --action asqtad --u0 0.9 --gauge " + field_ +
                           " --grid 1,1,1,2 --output " + (folder_ / "prop.lime") + " --output-format usqcd");
  for (const std::string mass : {"0.2", "0.5"}) {
    const std::vector<double> expected = pion(folder_ / ("one_m" + mass + ".json"));
    for (const std::string name : {"two", "made"}) {
      expect_pion(folder_ / (name + "_m" + mass + ".json"), expected, 1e-8);
    }
    EXPECT_TRUE(fs::exists(folder_ / ("prop_m" + mass + ".lime")));
  }
  expect_failure_on(2, "propagator --mass 0.2" + files("absent"), input, "No such file or directory");
  expect_failure_on(2, smear + files("two") + " --grid 1,1,2,1", usage, "--grid: ");
}

TEST_F(ProgramOnProcesses, BadFilesEndAllWithOneMessage) {
  const std::string bytes = read_text(field_), damaged = folder_ / "damaged";
  expect_failure_on(2, "plaquette " + (folder_ / "absent"), input, "No such file or directory");
  std::ofstream(damaged, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  expect_failure_on(4, "plaquette " + damaged, input, "is truncated");
  std::string changed = bytes;
  changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
  std::ofstream(damaged, std::ios::binary) << changed;
  expect_failure_on(2, "convert " + damaged + " " + (folder_ / "out.lime"), input, "wrong checksum");
  expect_failure_on(2, "propagator --gauge " + damaged + " --mass 0.1", input, "wrong checksum");
  const auto entries = folder_.entries();
  expect_failure_on(2, "convert " + field_ + " " + (folder_ / "absent/out.lime"), input, "OUT: cannot write");
  expect_failure_on(2, "generate --size 4,4,4,4 --beta 6 --resume --output " + (folder_ / "none"), input,
                    "--resume: there is no checkpoint");
  std::ofstream(folder_ / "run.checkpoint.json") << "{}";
  expect_failure_on(2, "generate --size 4,4,4,4 --beta 6 --resume --output " + (folder_ / "run"), input,
                    "is not a checkpoint of kaon");
  EXPECT_EQ(folder_.entries(), entries);
}

// By the same name: each process looks for it in a folder of its own.
TEST_F(ProgramOnProcesses, GaugeFilesMustBeTheSame) {
  const std::string other = folder_ / "other";
  fs::create_directory(other);
  expect_success("generate --size 8,4,4,8 --beta 5.7 --start hot --seed 8 --sweeps 1 --output " + other + "/run");
  fs::rename(other + "/run_000001.lime", other + "/field.lime");
  const auto in = [](const std::string& folder) {
    return "env -C " + folder + " " + KAON_PROGRAM + " plaquette field.lime";
  };
  expect_differing_failure(in(folder_.path().string()), in(other), input, "processes see different files");
  fs::copy_file(field_, other + "/field.lime", fs::copy_options::overwrite_existing);
  EXPECT_EQ(run_differing(in(folder_.path().string()), in(other)).exit_code, 0);
}

// A full disk: the size of files is limited.
TEST_F(ProgramOnProcesses, AFullDiskLeavesNothingBehind) {
  const auto entries = folder_.entries();
  const std::string command = launcher(2) + "sh -c 'trap \"\" XFSZ; " + "ulimit -f 20; exec \"$@\"' sh " +
                              KAON_PROGRAM + " convert " + field_ + " " + (folder_ / "out.lime");
  const Outcome outcome = run_command("env OMP_NUM_THREADS=1 " + command, 600);
  EXPECT_EQ(outcome.exit_code, input) << outcome.output << outcome.errors;
  EXPECT_EQ(count_of(outcome.errors, "nothing was left behind"), 1) << outcome.errors;
  EXPECT_EQ(folder_.entries(), entries);
}

}  // namespace KAON_TEST_FILE
