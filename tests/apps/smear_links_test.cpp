// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/propagator_runs.hpp"
#include "tests/support/data.hpp"
#include "tests/support/file_size_limit.hpp"

#include <kaon/io/gauge.hpp>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;
namespace fs = std::filesystem;

constexpr io::ReadOptions as_they_are{.unfold_antiperiodic = false, .require_special_unitary = false};

/// Smeared links from files and back.
class SmearedRuns : public PropagatorRuns {
 protected:
  /// A gauge file on 4^3 x 8.
  std::string gauge() {
    const std::string file = folder_ / "gauge.lime";
    io::write_gauge(file, weak_links());
    return file;
  }
  /// Arguments that name the smeared files.
  std::string files() const { return " --fat " + (folder_ / "fat") + " --long " + (folder_ / "long") + " "; }
};

std::vector<std::complex<double>> values_of(const std::string& file) {
  return io::read_links(file, as_they_are).links.links;
}

/// |a - b| / |b|
double relative_difference(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference2 = 0.0, norm2 = 0.0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    difference2 += std::norm(a[k] - b[k]);
    norm2 += std::norm(b[k]);
  }
  return std::sqrt(difference2 / norm2);
}

// Regardless of factors that are folded into the files, the propagator is that of the action.
TEST_F(SmearedRuns, GiveThePropagatorsOfTheirActions) {
  const std::string gauge_file = gauge();
  const std::string tolerance = " --mass 0.2 --tolerance 1e-11 ";
  for (const std::string action : {"asqtad --u0 0.9", "hisq", "hisq --naik-epsilon=-0.2"}) {
    for (const std::string boundary : {"antiperiodic", "periodic"}) {
      const std::string physics = tolerance + "--boundary periodic,periodic,periodic," + boundary;
      const auto expected = pion(run("propagator --gauge " + gauge_file + " --action " + action + physics));
      for (const std::string phases : {"milc", "none"}) {
        SCOPED_TRACE(action + ", " + boundary + ", " + phases);
        const std::string folded = phases == "none" ? "" : " --boundary " + boundary;
        const std::string made = expect_success("smear-links --gauge " + gauge_file + files() + "--action " + action +
                                                " --phases " + phases + folded)
                                     .output;
        EXPECT_TRUE(contains(made, phases == "none" ? "phases        no phases\n"
                                                    : "phases        MILC's phases, " + boundary + " in time\n"))
            << made;
        const Json report = run("propagator" + files() + physics);
        expect_near(pion(report), expected, 1e-9);
        EXPECT_EQ(report.at("action").at("name"), "improved");
        EXPECT_EQ(report.at("gauge").at("fat").at("file"), folder_ / "fat");
        EXPECT_TRUE(contains(output_, " times unitary links\n")) << output_;
        // The statements of files count, for any boundary of the operator.
        expect_near(pion(run("propagator" + files() + physics + " --phases " + phases)), expected, 1e-9);
      }
    }
  }
  const std::string twisted = tolerance + "--boundary 0,0,0.3,0.5";
  const auto expected = pion(run("propagator --gauge " + gauge_file + " --action hisq --naik-epsilon=-0.2" + twisted));
  expect_near(pion(run("propagator" + files() + twisted)), expected, 1e-9);
}

TEST_F(SmearedRuns, TakeSeveralMassesAndPrecisions) {
  expect_success("smear-links --gauge " + gauge() + files() + "--action asqtad --u0 0.9 --precision single");
  const auto expected = pion(run(weak + "--action asqtad --u0 0.9 --mass 0.3"));
  for (const std::string precision : {"double-half", "double", "single"}) {
    expect_success("propagator" + files() + "--mass 0.3,0.5 --precision " + precision + " --correlator " +
                   (folder_ / "c.json"));
    expect_near(pion(Json::parse(read_text(folder_ / "c_m0.3.json"))), expected, precision == "single" ? 1e-4 : 1e-6);
  }
}

// MILC's fat and long links of one of its fields, in single precision.
TEST_F(SmearedRuns, AreTheLinksOfMilc) {
  KAON_TEST_DATA_FILE(milc, "milc");
  const std::string field = (milc / "lat.sample.l8").string();
  expect_success("smear-links --gauge " + field + files() + "--action asqtad --u0 0.502 --precision single");
  EXPECT_LT(relative_difference(values_of(folder_ / "fat"), values_of(milc / "fat.l8")), 1e-7);
  EXPECT_LT(relative_difference(values_of(folder_ / "long"), values_of(milc / "long.l8")), 1e-7);
  // And from its files to the propagator of the action, which is small at this u0.
  const auto expected = pion(run("propagator --gauge " + field + " --action asqtad --u0 0.502 --mass 0.1"));
  const std::string milcs = "propagator --fat " + (milc / "fat.l8").string() + " --long " + (milc / "long.l8").string();
  expect_near(pion(run(milcs + " --mass 0.1")), expected, 1e-5);
  EXPECT_TRUE(contains(output_, "-0.16534129")) << output_;
  expect_near(pion(run(milcs + " --mass 0.1 --phases milc")), expected, 1e-5);
  // Files that do not state their boundary show it.
  const std::string shown = "MILC's phases, antiperiodic in time, as the signs of the long links show";
  EXPECT_TRUE(contains(output_, shown)) << output_;
  for (const std::string boundary : {"periodic,periodic,periodic,periodic", "0,0,0,0.5"}) {
    const std::string physics = " --mass 0.1 --boundary " + boundary;
    expect_near(pion(run(milcs + physics)),
                pion(run("propagator --gauge " + field + " --action asqtad --u0 0.502" + physics)), 1e-5);
  }
  expect_failure(milcs + " --mass 0.1 --phases none", input,
                 "--phases: none is given, but the signs of the long links in " + (milc / "long.l8").string() +
                     " show MILC's phases, antiperiodic in time");
  expect_failure("propagator --mass 0.1 --long " + (milc / "fat.l8").string() + " --fat " + (milc / "long.l8").string(),
                 input, ", are such: give the two files the other way round");
}

// Files without a statement, as for other codes.
TEST_F(SmearedRuns, ShowTheirPhasesAndBoundary) {
  const std::string gauge_file = gauge(), physics = " --mass 0.2 --tolerance 1e-11 --boundary 0,0,0,";
  for (const std::string phases : {"milc", "none"}) {
    expect_success("smear-links --gauge " + gauge_file + files() + "--action hisq --phases " + phases);
    for (const char* name : {"fat", "long"}) {
      io::write_links(folder_ / name, io::read_links(folder_ / name, as_they_are).links,
                      {.format = io::GaugeFormat::scidac, .require_special_unitary = false});
    }
    for (const std::string angle : {"0", "0.5", "antiperiodic"}) {
      const auto expected = pion(run("propagator --action hisq --gauge " + gauge_file + physics + angle));
      expect_near(pion(run("propagator" + files() + physics + angle)), expected, 1e-9);
      expect_near(pion(run("propagator" + files() + physics + angle + " --phases " + phases)), expected, 1e-9);
    }
    expect_failure("propagator" + files() + physics + "0 --phases " + (phases == "milc" ? "none" : "milc"), input,
                   "but the signs of the long links in " + (folder_ / "long") + " show ");
  }
}

// Long links that are a number times unitary links except for some rounding have no weight of their own, and are stored
// in full. Links that are so at all are no long links.
TEST_F(SmearedRuns, TakeRoundedLongLinksInFull) {
  expect_success("smear-links --gauge " + gauge() + files() + "--phases none");
  io::HostLinks links = io::read_links(folder_ / "long", as_they_are).links;
  const auto stretch = [&](double factor) {
    for (std::size_t k = 0; k < links.links.size(); k += 5) links.links[k] *= factor;
    io::write_links(folder_ / "long", links, {.format = io::GaugeFormat::scidac, .require_special_unitary = false});
  };
  stretch(1.00002);
  run("propagator" + files() + "--phases none --mass 0.2");
  EXPECT_TRUE(contains(output_, "1 times links in no group\n")) << output_;
  EXPECT_TRUE(contains(output_, "links in 18 reals\n")) << output_;
  expect_failure("propagator" + files() + "--phases none --mass 0.2 --links 14", usage,
                 "--links: 14 reals are for third links that are unitary, and those of " + (folder_ / "long"));
  stretch(1.001);
  const Outcome refused = expect_failure("propagator" + files() + "--phases none --mass 0.2", input,
                                         "--long: " + (folder_ / "long") + " holds no long links");
  EXPECT_FALSE(contains(refused.errors, "the other way round")) << refused.errors;
}

TEST_F(SmearedRuns, RefuseFilesThatDoNotFit) {
  const std::string gauge_file = gauge();
  expect_success("smear-links --gauge " + gauge_file + files());
  const std::string fat = folder_ / "fat", long_ones = folder_ / "long", mass = " --mass 0.2";
  expect_failure("propagator --fat " + long_ones + " --long " + fat + mass, input,
                 "--fat: " + long_ones + " holds long links, not fat links");
  expect_failure("propagator" + files() + "--phases none" + mass, input,
                 "--phases: none is given, but " + fat + " states that it has MILC's phases, antiperiodic in time");
  expect_failure("propagator" + files() + "--size 4,4,4,4" + mass, input, "--fat: " + fat + " has extents 4x4x4x8");
  expect_failure("propagator --fat " + (folder_ / "absent") + " --long " + long_ones + mass, input, "--fat: ");
  // Fat links are no gauge field.
  expect_failure("plaquette " + fat, input, "are not in SU(3)");
  expect_failure("propagator --action hisq --gauge " + fat + mass, input, "--gauge: ");
  // Links of one action belong with those of the same.
  for (const auto& [action, difference] :
       {std::pair("hisq --naik-epsilon 0.1", "they have the Naik epsilon 0.1 and 0.0"),
        std::pair("asqtad --u0 1", "they are of the actions \"asqtad\" and \"hisq\"")}) {
    expect_success("smear-links --gauge " + gauge_file + " --fat " + (folder_ / "f") + " --long " + (folder_ / "l") +
                   " --action " + action);
    expect_failure("propagator --fat " + fat + " --long " + (folder_ / "l") + mass, input,
                   "--long: " + (folder_ / "l") + " and " + fat + " do not belong together: " + difference);
  }
  const std::string other = folder_ / "other.lime";
  expect_success("smear " + gauge_file + " --method stout --output " + other);
  expect_success("smear-links --gauge " + other + " --fat " + (folder_ / "f") + " --long " + (folder_ / "l"));
  expect_failure("propagator --fat " + (folder_ / "f") + " --long " + long_ones + mass, input,
                 " do not belong together: their gauge fields have the checksums ");
  // Statements that are damaged are not taken for none; other texts state nothing.
  const std::string brackets = std::string(200000, '[') + std::string(200000, ']');
  for (const std::string& info : {"{\"u0\": " + brackets + "}", std::string("{\"phases\": \"no")}) {
    io::write_links(folder_ / "f", io::read_links(fat, as_they_are).links,
                    {.format = io::GaugeFormat::scidac, .info = info, .require_special_unitary = false});
    expect_failure("propagator --fat " + (folder_ / "f") + " --long " + long_ones + mass, input,
                   "--fat: " + (folder_ / "f") + ": the statement about the links is damaged: ");
  }
  io::write_links(folder_ / "f", io::read_links(fat, as_they_are).links,
                  {.format = io::GaugeFormat::scidac, .info = "fat", .require_special_unitary = false});
  expect_success("propagator --fat " + (folder_ / "f") + " --long " + long_ones + mass);
  // Damage is found.
  std::string bytes = read_text(long_ones);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(long_ones, std::ios::binary) << bytes;
  expect_failure("propagator" + files() + mass, input, "--long: ");
  fs::resize_file(long_ones, bytes.size() / 2);
  expect_failure("propagator" + files() + mass, input, "is truncated");
}

// 1/u0^6 is finite in double precision only.
TEST_F(SmearedRuns, WriteNoNumbersThatTheFileCannotHold) {
  const std::string smear = "smear-links --gauge " + gauge() + files() + "--action asqtad --u0 1e-7 --precision ";
  expect_failure(smear + "single", input, "numbers are NaN, infinite or too large for 32 bits");
  EXPECT_FALSE(fs::exists(folder_ / "fat") || fs::exists(folder_ / "long"));
  expect_success(smear + "double");
}

// Long links whose file grows beyond a limit that the file of fat links just meets.
TEST_F(SmearedRuns, LeaveNoFatLinksWithoutLongOnes) {
  const std::string gauge_file = gauge(), fat = folder_ / "fat", long_ones = folder_ / "long";
  // Files are padded: "long links" may or may not need more of it than "fat links".
  std::string named;
  for (std::size_t length = 1; length <= 8; ++length) {
    named = folder_ / std::string(length, 'g');
    fs::copy_file(gauge_file, named);
    expect_success("smear-links --gauge " + named + files());
    if (fs::file_size(long_ones) > fs::file_size(fat)) break;
  }
  const auto limit = fs::file_size(fat);
  ASSERT_GT(fs::file_size(long_ones), limit);
  const std::string smear = "smear-links --gauge " + named + files();
  {
    const FileSizeLimit none_beyond(limit);
    fs::remove(fat);
    fs::remove(long_ones);
    const auto entries = folder_.entries();
    expect_failure(smear, input, "--long: cannot write " + long_ones);
    EXPECT_EQ(folder_.entries(), entries);
    std::ofstream(fat) << "old";
    expect_failure(smear, input, "File too large");
    EXPECT_EQ(read_text(fat), "old");
    EXPECT_EQ(folder_.entries(), entries + 1);
  }
  expect_success(smear);
  EXPECT_EQ(fs::file_size(fat), limit);
}

// usage_test.cpp has the refusals of parameters, which are those of other subcommands.
TEST_F(SmearedRuns, RefuseWhatIsNoOption) {
  const std::string gauge_file = gauge();
  expect_refusals("smear-links ", {{files(), "--gauge is required"},
                                   {"--gauge x --fat y", "--long is required"},
                                   {"--gauge x --fat x --long y", "--fat: x is the file of --gauge"},
                                   {"--gauge x --fat y --long ./y", "--long: ./y is the file of --fat"}});
  expect_refusals("smear-links --gauge " + gauge_file,
                  {{files() + "--action asqtad", "--u0: needed with --action asqtad"},
                   {files() + "--action hisq --u0 1", "--u0: has no meaning with --action hisq"},
                   {files() + "--naik-epsilon 1e300", "--naik-epsilon: 1e+300 is too large"},
                   {files() + "--action naive", "--action"},
                   {files() + "--phases quda", "--phases"},
                   {files() + "--phases none --boundary periodic", "--boundary: has no meaning with --phases none"},
                   {" --fat " + (folder_ / "absent/fat") + " --long " + (folder_ / "long"), "--fat: ", input}});
  EXPECT_EQ(folder_.entries(), 1);
  expect_refusals("propagator --mass 0.1 ",
                  {{"--fat x", "--long: needed with --fat"},
                   {"--long x", "--fat: needed with --long"},
                   {"--fat x --long y --gauge z", "--gauge and --fat: give one of them"},
                   {"--fat x --long y --unit --size 4,4,4,4", "--gauge and --fat: give one of them"},
                   {"--fat x --long y --action hisq", "--fat: has no meaning with --action hisq"},
                   {"--fat x --long y --u0 1", "--u0: has no meaning with --action improved"},
                   {"--fat x --long y --output y", "--output: y is the file of --long"},
                   {"--unit --size 4,4,4,4 --action improved", "--fat: needed with --action improved"},
                   {"--unit --size 4,4,4,4 --phases milc", "--phases: has no meaning without --fat and --long"}});
}

}  // namespace KAON_TEST_FILE
