// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/cli_test.hpp"

#include <kaon/gauge/observables.hpp>
#include <kaon/io/gauge.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

namespace KAON_TEST_FILE {

using namespace kaon::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string generate(const std::string& prefix, const std::string& more) {
  return "generate --size 4,4,4,4 --beta 5.7 --overrelaxation 2 --start hot --seed 7 --output " + prefix + " " + more;
}

void expect_same_links(const std::string& a, const std::string& b) {
  EXPECT_TRUE(links_of(a) == links_of(b)) << a << b;
}

/// A folder with one gauge field, field.lime.
class GaugeFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    expect_success(generate(folder_ / "run", "--sweeps 2"));
    fs::rename(folder_ / "run_000002.lime", field_);
  }

  Json measure(const std::string& file) { return Json::parse(expect_success("plaquette --json " + file).output); }

  TemporaryFolder folder_;
  const std::string field_ = folder_ / "field.lime";
};

TEST_F(GaugeFiles, OfLongDirectionsAreReadAgain) {
  const std::string run = "generate --size 2,2,2,4098 --beta 6 --overrelaxation 0 --output " + (folder_ / "long");
  expect_success(run + " --sweeps 1");
  expect_success(run + " --sweeps 2 --resume");
  EXPECT_EQ(measure(folder_ / "long_000002.lime").at("extents"), (Json{2, 2, 2, 4098}));
}

TEST_F(GaugeFiles, StreamDependsOnTheSeedOnly) {
  expect_success(generate(folder_ / "again", "--sweeps 2"));
  expect_same_links(folder_ / "again_000002.lime", field_);
  const std::string two_threads = "env OMP_NUM_THREADS=2 " + std::string(KAON_PROGRAM) + " ";
  EXPECT_EQ(run_command(two_threads + generate(folder_ / "threads", "--sweeps 2")).exit_code, 0);
  expect_same_links(folder_ / "threads_000002.lime", field_);
  expect_success("generate --size 4,4,4,4 --beta 5.7 --overrelaxation 2 --start hot --seed 8 --sweeps 2 --output " +
                 (folder_ / "other"));
  EXPECT_FALSE(links_of(folder_ / "other_000002.lime") == links_of(field_));
}

TEST_F(GaugeFiles, StartFromAFileContinuesIt) {
  const Outcome outcome = expect_success("generate --size 4,4,4,4 --beta 5.7 --sweeps 1 --start " + field_ +
                                         " --output " + (folder_ / "next"));
  EXPECT_TRUE(contains(outcome.output, field_)) << outcome.output;
  expect_failure("generate --size 4,4,4,8 --beta 5.7 --sweeps 1 --start " + field_ + " --output " + (folder_ / "big"),
                 input, "--start: ");
}

TEST_F(GaugeFiles, ConversionKeepsTheField) {
  const Json before = measure(field_);
  for (const std::string format : {"ildg", "nersc", "nersc3x3", "scidac", "grid"}) {
    for (const std::string precision : {"double", "single"}) {
      const std::string file = folder_ / (format + precision);
      expect_success("convert " + field_ + " " + file + " --format " + format + " --precision " + precision);
      const Json after = measure(file);
      const double tolerance = precision == "double" ? 1e-14 : 1e-6;
      for (const char* key : {"plaquette", "link_trace", "plaquette_spatial", "plaquette_temporal"}) {
        EXPECT_NEAR(after.at(key).get<double>(), before.at(key).get<double>(), tolerance) << file << key;
      }
      for (const std::size_t part : {0u, 1u}) {
        EXPECT_NEAR(after.at("polyakov_loop")[part].get<double>(), before.at("polyakov_loop")[part].get<double>(),
                    tolerance)
            << file;
      }
    }
  }
  expect_success("convert " + (folder_ / "nersc3x3double") + " " + (folder_ / "back.lime"));
  EXPECT_EQ(measure(folder_ / "back.lime").at("checksum"), before.at("checksum"));
}

TEST_F(GaugeFiles, LoopsAreThoseOfTheLinks) {
  const kaon::GaugeField<double> links = kaon::io::read_gauge<double>(kaon::Lattice({.extents = {4, 4, 4, 4}}), field_);
  const std::complex<double> expected = kaon::polyakov_loop(links);
  const kaon::Plaquette planes = kaon::plaquette(links);
  EXPECT_NEAR(measure(field_).at("plaquette_spatial").get<double>(), planes.spatial, 1e-15);
  EXPECT_NEAR(measure(field_).at("plaquette_temporal").get<double>(), planes.temporal, 1e-15);
  const Json found = measure(field_).at("polyakov_loop");
  EXPECT_NEAR(found[0].get<double>(), expected.real(), 1e-15);  // sums in another order
  EXPECT_NEAR(found[1].get<double>(), expected.imag(), 1e-15);
  EXPECT_TRUE(contains(expect_success("plaquette " + field_).output, "Polyakov loop ")) << field_;
}

TEST_F(GaugeFiles, UnwritableOutputLeavesNothing) {
  const auto entries = folder_.entries();
  expect_failure("convert " + field_ + " " + (folder_ / "absent/out.lime"), input, "OUT: ");
  expect_failure("convert " + field_ + " " + folder_.path().string(), input, "OUT: ");
  expect_failure(generate(folder_ / "absent/run", "--sweeps 1"), input, "--output: ");
  EXPECT_EQ(folder_.entries(), entries);
}

TEST_F(GaugeFiles, OutputsHandDownModesAndKeepLinks) {
  const std::string out = folder_ / "out.lime";
  std::ofstream(out) << "old";
  fs::permissions(out, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("out.lime", folder_ / "link");
  expect_success("convert " + field_ + " " + (folder_ / "link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(fs::status(out).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  expect_same_links(out, field_);
}

TEST_F(GaugeFiles, WhatATerminalWouldObeyIsShown) {
  std::string bytes = read_text(field_);
  bytes.replace(bytes.find("scidac-private-file-xml"), 4, "\x1b[2J");
  std::ofstream(folder_ / "hostile", std::ios::binary) << bytes.substr(0, 150);
  const Outcome outcome = expect_failure("plaquette " + (folder_ / "hostile"), input, "LIME record \\x1b[2Jac-private");
  EXPECT_FALSE(contains(outcome.errors, "\x1b"));
  std::ofstream(folder_ / "run.checkpoint.json") << "\"\x1b[2J\x9b\"";
  EXPECT_FALSE(contains(run_kaon(generate(folder_ / "run", "--resume")).errors, "\x1b"));
}

TEST_F(GaugeFiles, AWrongStatedPlaquetteIsIgnoredWhereWanted) {
  std::string bytes = read_text(field_);
  const std::size_t at = bytes.find("<plaq>0.") + 8;
  bytes[at] = bytes[at] == '9' ? '1' : '9';
  const std::string altered = folder_ / "altered", out = folder_ / "out.lime", flag = " --ignore-stated-plaquette";
  std::ofstream(altered, std::ios::binary) << bytes;
  const Outcome refused =
      expect_failure("convert " + altered + " " + out, input, "wrong plaquette: the file states 0.");
  EXPECT_TRUE(contains(refused.errors, "(<plaq> in its record scidac-record-xml)")) << refused.errors;
  EXPECT_TRUE(contains(refused.errors, "--ignore-stated-plaquette")) << refused.errors;
  const std::string warning = altered + ": wrong plaquette", ignored = "; ignored: the checksum is right";
  const auto expect_warning = [&](const std::string& command) {
    const Outcome outcome = run_kaon(command + flag);
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_TRUE(contains(outcome.errors, warning) && contains(outcome.errors, ignored)) << outcome.errors;
    return outcome.output;
  };
  EXPECT_TRUE(contains(expect_warning("convert " + altered + " " + out), "note          wrong plaquette"));
  expect_same_links(out, field_);
  for (const std::string& command :
       {"plaquette --json " + altered, "flow --steps 1 --json " + altered,
        "smear-links --gauge " + altered + " --fat " + (folder_ / "fat") + " --long " + (folder_ / "long"),
        "generate --size 4,4,4,4 --beta 6 --sweeps 1 --start " + altered + " --output " + (folder_ / "from")}) {
    expect_failure(command, input, "wrong plaquette");
    expect_warning(command);
  }
  expect_failure("propagator --unit --size 4,4,4,4 --mass 1" + flag, usage,
                 "--ignore-stated-plaquette: has no meaning");
  expect_failure(generate(folder_ / "hot", "--sweeps 1" + flag), usage, "--ignore-stated-plaquette: has no meaning");
}

TEST_F(GaugeFiles, DamageIsFound) {
  const std::string bytes = read_text(field_), damaged = folder_ / "damaged";
  std::ofstream(damaged, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  expect_failure("plaquette " + damaged, input, "FILE: ");
  std::string changed = bytes;
  changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
  std::ofstream(damaged, std::ios::binary) << changed;
  expect_failure("plaquette " + damaged, input, "checksum");
  const auto entries = folder_.entries();
  expect_failure("convert " + damaged + " " + (folder_ / "out.lime"), input, "IN: ");
  EXPECT_EQ(folder_.entries(), entries);
  expect_failure("propagator --gauge " + damaged + " --mass 0.1 --output " + (folder_ / "out.lime"), input,
                 "--gauge: ");
  EXPECT_EQ(folder_.entries(), entries);
  expect_failure("plaquette --size 4,4,4,8 " + field_, input, "FILE: ");
}

}  // namespace KAON_TEST_FILE
