// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/foreign_files.hpp"
#include "tests/io/parallel_cases.hpp"
#include "tests/support/data.hpp"
#include "tests/support/program.hpp"

#include <kaon/io/gauge_file.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

// Files of several processes, against those of one: tests/io/parallel_program.cpp does what is tested.

namespace kaon::io {
namespace {

namespace fs = std::filesystem;

void write_bytes(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Every process of the program says that all was good, within a minute.
void expect_good(int processes, const std::string& way, const fs::path& folder) {
  const std::string command = "env OMP_NUM_THREADS=1 " + std::string(KAON_MPIEXEC) + " " + KAON_MPIEXEC_NUMPROC_FLAG +
                              " " + std::to_string(processes) + " " + KAON_PARALLEL_PROGRAM + " " + way + " " +
                              folder.string();
  const test::Outcome outcome = test::run_command(command, 60);
  EXPECT_EQ(outcome.exit_code, 0) << processes << way << outcome.output << outcome.errors;
  EXPECT_EQ(test::count_of(outcome.output, "good\n"), processes) << way << outcome.output << outcome.errors;
}

/// The bytes of a file, but for the times at which it was written.
std::string timeless(const fs::path& file) {
  static const std::regex time("[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} [0-9]{4} UTC");
  const std::string bytes = test::read_text(file);
  const auto start = std::min(bytes.find("binary-data"), bytes.size());
  const auto end = std::min({start, bytes.find("END_HEADER"), bytes.size()});
  return std::regex_replace(bytes.substr(0, end), time, "TIME") + bytes.substr(end);
}

TEST(ParallelFiles, HaveTheBytesOfOneProcess) {
  const test::TemporaryFolder one;
  for (const auto& [name, options] : test::parallel_gauge_files)
    write_links(one / name, test::parallel_links(), options);
  for (const auto& [name, options] : test::parallel_propagator_files) {
    write_propagator(one / name, test::parallel_propagator(), options);
  }
  for (const int processes : {1, 2, 4, 8}) {
    const test::TemporaryFolder folder;
    expect_good(processes, "write", folder.path());
    for (std::size_t grid = 0; grid <= test::parallel_grids(processes).size(); ++grid) {
      const fs::path here = folder / ("grid" + std::to_string(grid));
      for (const auto& entry : fs::directory_iterator(one.path())) {
        const fs::path name = entry.path().filename();
        EXPECT_TRUE(timeless(here / name) == timeless(one / name)) << processes << " processes, " << here << name;
      }
      EXPECT_EQ(std::distance(fs::directory_iterator(here), fs::directory_iterator()), one.entries());
    }
  }
}

TEST(ParallelFiles, OfOtherFormatsAreReadAsByOneProcess) {
  const test::TemporaryFolder folder;
  const HostLinks field = test::parallel_links();
  write_bytes(folder / "milc-little", test::milc_file(field, ByteOrder::little));
  write_bytes(folder / "milc-big", test::milc_file(field, ByteOrder::big));
  write_bytes(folder / "openqcd", test::openqcd_file(field));
  write_bytes(folder / "dd-alphaamg", test::dd_alphaamg_file(field));
  write_links(folder / "two-rows", field, {.format = GaugeFormat::nersc, .rows = 2});
  for (const int processes : {2, 4, 8}) expect_good(processes, "read", folder.path());
}

// They have 4 or 8 sites in each direction, so four processes have grids of all kinds.
TEST(ParallelFiles, OfOtherCodesAreReadAsByOneProcess) {
  KAON_TEST_DATA_FILE(present, "milc/lat.sample.l8888");
  const test::TemporaryFolder folder;
  for (const char* name : {"milc/lat.sample.l8888", "milc/lat.sample.l8", "other/8x8x8x8b6.0000id3n1",
                           "other/openQCD_qcd1_pb_L8T8_b6.0_c1.234_k0.13_r0_id4n1"}) {
    const fs::path file = test::data_folder() / name;
    if (fs::exists(file)) fs::create_symlink(fs::absolute(file), folder / file.filename().string());
  }
  expect_good(4, "read", folder.path());
  const test::TemporaryFolder small;
  for (const char* name : {"ildg/L4T8conf", "ildg/t_dprec_ildg.lime", "nersc/t_nersc.cfg", "nersc/tests_x32_nersc.cfg",
                           "nersc/lat..400", "weak_field/weak_field.lime", "milc/lat.sample.l4448.gf"}) {
    const fs::path file = test::data_folder() / name;
    if (fs::exists(file)) fs::create_symlink(fs::absolute(file), small / file.filename().string());
  }
  expect_good(2, "read", small.path());
}

TEST(ParallelFiles, AreRefusedByAllWithOneReason) {
  const test::TemporaryFolder folder;
  write_links(folder / "valid", test::parallel_links(), {.format = GaugeFormat::nersc});
  const std::string valid = test::read_text(folder / "valid");
  write_bytes(folder / "empty", "");
  write_bytes(folder / "noise", "This is no gauge field at all.");
  write_bytes(folder / "truncated", valid.substr(0, valid.size() / 2));
  write_bytes(folder / "headless", valid.substr(0, 100));
  std::string altered = valid;
  altered[valid.size() - 1000] ^= 1;
  write_bytes(folder / "damaged", altered);
  altered = valid;
  const auto plaquette = valid.find("PLAQUETTE");
  altered.replace(plaquette, valid.find('\n', plaquette) - plaquette, "PLAQUETTE = 0.25");
  write_bytes(folder / "another-plaquette", altered);
  altered = valid;
  store(reinterpret_cast<std::byte*>(&altered[altered.size() - 8]), std::numeric_limits<double>::infinity(),
        ByteOrder::big);
  write_bytes(folder / "not-finite", altered);
  for (const int processes : {2, 4}) expect_good(processes, "refuse-input", folder.path());
}

TEST(ParallelFiles, ThatCannotBeWrittenLeaveNothingBehind) {
  for (const int processes : {2, 4}) {
    const test::TemporaryFolder folder;
    expect_good(processes, "refuse-output", folder.path());
    EXPECT_EQ(folder.entries(), 1);
    EXPECT_EQ(read_links(folder / "a").links.links, test::parallel_links().links);
  }
}

}  // namespace
}  // namespace kaon::io
