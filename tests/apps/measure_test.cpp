// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/measure_input.hpp"
#include "tests/apps/running_program.hpp"
#include "tests/support/file_size_limit.hpp"

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
  EXPECT_EQ(report.at("meson").at("l_l").at("kind"), "meson");
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
  EXPECT_EQ(count_of(outcome.output, "missing.lime, exit code 3: "), 1) << outcome.output;
  EXPECT_EQ(result("out", 2).at("format_version"), 1);
  const Outcome status = expect_success("measure --status " + file + " " + all);
  EXPECT_TRUE(contains(status.output, "damaged.lime: failed, exit code 3: ")) << status.output;
  EXPECT_TRUE(contains(status.output, "q_000002.lime: done")) << status.output;
  EXPECT_TRUE(contains(status.output, "1 done, 0 being measured, 2 failed, 0 left")) << status.output;
  EXPECT_TRUE(contains(status.output, "for what is done, about ")) << status.output;
  EXPECT_TRUE(contains(status.output, " for the 2 that are not done, if one run measures them\n")) << status.output;
  const Outcome complete = expect_success("measure --status " + file + " " + field(2));
  EXPECT_TRUE(contains(complete.output, "1 done, 0 being measured, 0 failed, 0 left, of 1 configuration\n"))
      << complete.output;
  EXPECT_TRUE(contains(complete.output, "for what is done\n")) << complete.output;
  const std::string loose = input("loose", "json", with("tolerance", "max_iterations = 1"));
  expect_failure("measure " + loose + " " + field(1), not_converged, "quark l, source 0: the solve did not reach");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "loose/q_000001.json"));
}

TEST_F(Measure, SaysWhatLacksMemoryAndWhatToDo) {
  const std::string file = input("out", "json", R"([quark.l]
action = "domain-wall"
slices = 60000
mass = 0.3
[source]
sites = [[0, 0, 0, 0]]
[[meson]]
quarks = ["l", "l"]
)");
  const Outcome outcome = run_command("sh -c 'ulimit -v 3000000; OMP_NUM_THREADS=1 exec " KAON_PROGRAM " measure " +
                                      file + " " + both() + "'");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "2 of 2 failed")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "failed to allocate")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "take more processes")) << outcome.errors;
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

  std::string walls = with("[solver]", "[solver]\nmethod = \"multigrid\"");
  walls.replace(walls.find("\"clover\"\ncsw = 1.0"), 18, "\"domain-wall\"\nslices = 2");
  const std::string memory = expect_success("measure --dry-run " + input("out", "json", walls) + " " + both()).output;
  EXPECT_TRUE(contains(memory, " on all processes, without that of multigrid\n")) << memory;
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
  const std::string left = expect_success("measure --dry-run " + file + " " + both()).output;
  EXPECT_TRUE(contains(left, "\nconfigurations 2, 1 of them measured already: each has 2 sources and ")) << left;
  EXPECT_TRUE(contains(left, " a configuration, the mean of 1 measured configuration\n")) << left;
  EXPECT_TRUE(contains(left, "/q_000001.json, ...\n")) << left;
  const std::string none_left = expect_success("measure --dry-run " + file + " " + field(1)).output;
  EXPECT_TRUE(contains(none_left, "\ntime          about 0.0 s: ")) << none_left;
  EXPECT_TRUE(contains(none_left, "/q_000001.json\n")) << none_left;
  const std::string again = expect_success("measure --overwrite --dry-run " + file + " " + field(1)).output;
  EXPECT_TRUE(contains(again, "\nconfigurations 1: each has ")) << again;
  // Costs on another lattice are no estimate.
  expect_success("generate --size 4,4,8,8 --beta 6.0 --start cold --sweeps 1 --save-every 1 --output " +
                 (folder_ / "small"));
  const std::string small = expect_success("measure --dry-run " + file + " " + (folder_ / "small_000001.lime")).output;
  EXPECT_TRUE(contains(small, "memory        about ") && !contains(small, "the mean of")) << small;

  expect_success("measure --resume " + file + " " + both());
  EXPECT_TRUE(contains(expect_success("measure --status " + file + " " + both()).output, "2.lime: done, "));
  // Costs of another input are no estimate.
  const std::string other = input("out", "json", with("tolerance", "tolerance = 1e-3"));
  EXPECT_FALSE(contains(expect_success("measure --dry-run " + other + " " + both()).output, "the mean of"));
  const std::string status_of_other = expect_success("measure --status " + other + " " + both()).output;
  EXPECT_TRUE(contains(status_of_other, "2.lime: done, by another input\n")) << status_of_other;
  const std::string resumed = expect_success("measure --resume " + other + " " + both()).output;
  EXPECT_TRUE(contains(resumed, "warning       2 configurations are measured by another input, " + field(1) + " first"))
      << resumed;
  expect_success("measure --overwrite " + other + " " + field(1));
  EXPECT_TRUE(contains(expect_success("measure --resume " + other + " " + both()).output,
                       "warning       1 configuration is measured by another input, " + field(2) + " first"));
}

/// An input of solves that take a while, from two sources; `more` is further text.
std::string two_sources(const std::string& tolerance, const std::string& more = "") {
  return R"([quark.l]
action = "domain-wall"
slices = 8
mass = 0.1
[source]
sites = [[0, 0, 0, 0], [1, 2, 3, 5]]
[[meson]]
quarks = ["l", "l"]
[solver]
tolerance = )" +
         tolerance + "\n" + more;
}

/// The number behind the first `word` after a place in the output, or infinity.
double number_after(const std::string& output, const std::string& word, std::size_t place) {
  place = output.find(word, place);
  return place == std::string::npos ? HUGE_VAL : std::stod(output.substr(place + word.size()));
}

/// The first configuration is estimated by its first source, which took all of the time but that of the second.
TEST_F(Measure, EstimatesTheTimeLeftByEarlierSources) {
  const std::string file = input("out", "json", two_sources("1e-7"));
  const std::string output = expect_success("measure " + file + " " + field(1)).output;
  const std::size_t residual = output.find("residual ", output.find("source 2/2"));
  const double second = number_after(output, ", ", residual), left = number_after(output, " s, ", residual);
  const double all = number_after(output, ", in ", output.find("written "));
  constexpr double rounding = 0.05;
  EXPECT_LE(left, std::max(0.0, all - 2.0 * second) + 4.0 * rounding) << output;
}

/// The time of the exact source is not that of the sloppy ones.
TEST_F(Measure, EstimatesTheTimeLeftBySloppySources) {
  const std::string file = input("out", "json", two_sources("1e-12", "[sloppy]\ntolerance = 1e-1\n"));
  const std::string output = expect_success("measure " + file + " " + field(1)).output;
  const auto residual_of = [&](const std::string& solve) { return output.find("residual ", output.find(solve)); };
  const double exact = number_after(output, ", ", residual_of("source 1/2, quark l:"));
  EXPECT_LE(number_after(output, " s, ", residual_of("source 2/2, quark l (sloppy)")), 0.5 * exact) << output;
}

TEST_F(Measure, EstimatesItsSolvesByEarlierOnes) {
  const std::string command = "env OMP_NUM_THREADS=1 KAON_TUNE=on KAON_TUNE_CACHE=" + (folder_ / "cache.json") + " " +
                              KAON_PROGRAM + " measure ";
  const auto dry_run = [&](const std::string& text) {
    return run_command(command + "--dry-run " + input("other", "json", text) + " " + field(1)).output;
  };
  EXPECT_FALSE(contains(dry_run(good), " for solves: "));
  EXPECT_EQ(run_command(command + input("out") + " " + field(1)).exit_code, 0);

  const auto seconds = [&](const std::string& text) {
    const std::string output = dry_run(text), before = "time          about ";
    const std::size_t place = output.find(before);
    EXPECT_TRUE(contains(output, " for solves: ")) << output;
    return place == std::string::npos ? 0.0 : std::stod(output.substr(place + before.size()));
  };
  // Four solves of each quark and source instead of one.
  EXPECT_GT(seconds(with("[solver]", three_point("sink_times = [1, 2, 3]"))), 2.0 * seconds(good));
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

TEST_F(Measure, DrawsOtherSourcesOnEachConfiguration) {
  const std::string file = input("out", "json", with("sites", "random = 3"));
  expect_success("measure " + file + " " + both());
  const Json first = result("out", 1).at("meson").at("l_l").at("source");
  EXPECT_EQ(std::set<Json>(first.begin(), first.end()).size(), 3u);
  EXPECT_NE(first, result("out", 2).at("meson").at("l_l").at("source"));
}

TEST_F(Measure, HasAConservedChargeInThreePointFunctions) {
  const std::string walls =
      "[quark.w]\naction = \"domain-wall\"\nmass = 0.2\nslices = 4\nb = 1.5\nc = 0.5\n[[meson]]\nquarks = [\"w\", "
      "\"w\"]\n"
      "[[three_point]]\nkind = \"meson\"\nquarks = [\"w\", \"w\"]\nflavors = [\"u\", \"d\"]\nsink_times = [3]\n"
      "currents = [\"conserved4\", \"g4\"]\n[solver]";
  expect_success("measure " + input("walls", "json", with("[solver]", walls)) + " " + field(1));
  const Json of_walls = result("walls", 1);
  const Json& pion = of_walls.at("meson").at("w_w").at("correlator");
  for (const auto& [flavor, charge] : {std::pair("u", 1.0), {"d", -1.0}}) {
    const Json& group =
        of_walls.at("three_point").at(std::string("meson_w_w_") + flavor + "_g5_t3_p0_0_0").at("correlator");
    for (std::size_t source = 0; source < 2; ++source) {
      const auto real = [](const Json& number) { return number[0].get<double>(); };
      const Json &conserved = group[source][0][0][0], &local = group[source][0][0][1];
      const double two_point = real(pion[source][0][0][0][3]);
      // The current before the source is that of quarks that wind around the lattice.
      for (const std::size_t t : {0U, 1U, 2U}) {
        EXPECT_NEAR(real(conserved[t]) - real(conserved[7]), charge * two_point, 1e-8 * two_point) << flavor << t;
      }
      // Z_V of the local current, 1/(M (2 - M)) of free quarks at an effective M between 1 and M5.
      const double z_v = charge * two_point / real(local[1]);
      EXPECT_GT(z_v, 1.0);
      EXPECT_LT(z_v, 2.8);
    }
  }
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
#endif

}  // namespace KAON_TEST_FILE
