// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"
#include "io/output_file.hpp"
#include "tests/io/parallel.hpp"

#include <kaon/core/message.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/propagator.hpp>

#include <algorithm>
#include <limits>

// A failure on any process is thrown on all, and no process waits forever.

namespace kaon::io {
namespace KAON_TEST_FILE {

namespace fs = std::filesystem;
using test::expect_errors;
using test::expect_one_error;
using test::on_all;
using test::on_process;
using test::parallel_extents;
using test::processes;

constexpr WriteOptions nersc{.format = GaugeFormat::nersc};

bool is_last() { return processes().rank() == processes().size() - 1; }
std::string on_last() { return on_process(processes().size() - 1); }

/// A valid NERSC archive, and others that are not.
void make_bad_files(const test::TemporaryFolder& folder) {
  write_links(folder / "valid", test::random_links(parallel_extents), {.format = GaugeFormat::nersc});
  const std::string valid = test::read_text(folder / "valid");
  test::write_bytes(folder / "empty", "");
  test::write_bytes(folder / "noise", "This is no gauge field at all.");
  test::write_bytes(folder / "truncated", valid.substr(0, valid.size() / 2));
  test::write_bytes(folder / "headless", valid.substr(0, 100));
  std::string altered = valid;
  altered[valid.size() - 10000] ^= 1;  // between the pieces that processes compare
  test::write_bytes(folder / "damaged", altered);
  // A file that states neither checksum nor plaquette, and another of the same length: half its times later.
  write_links(folder / "unsummed", test::random_links(parallel_extents), {.format = GaugeFormat::ildg});
  std::string unsummed = test::read_text(folder / "unsummed");
  for (const char* what : {"scidac-checksum", "plaq>", "plaq>", "linktr>", "linktr>"})
    unsummed[unsummed.find(what)] = 'x';
  test::write_bytes(folder / "unsummed", unsummed);
  const auto body = unsummed.begin() + static_cast<std::ptrdiff_t>(unsummed.find("ildg-binary-data") + 128);
  const std::ptrdiff_t half = volume_of(parallel_extents) * 576 / 2;
  std::rotate(body, body + half, body + 2 * half);
  test::write_bytes(folder / "unsummed-later", unsummed);
  altered = valid;
  const auto line = valid.find("PLAQUETTE");
  test::write_bytes(folder / "another-plaquette",
                    altered.replace(line, valid.find('\n', line) - line, "PLAQUETTE = 0.25"));
  altered = valid;
  store(reinterpret_cast<std::byte*>(&altered[altered.size() - 8]), std::numeric_limits<double>::infinity(),
        ByteOrder::big);
  test::write_bytes(folder / "not-finite", altered);
}

class ParallelInput : public ::testing::Test {
 protected:
  /// Reads the file as a gauge field; the last process may look for another.
  std::function<void()> read(const std::string& name, const std::string& on_the_last = "") const {
    const fs::path path = is_last() && !on_the_last.empty() ? folder_ / on_the_last : folder_ / name;
    return [this, path] { static_cast<void>(read_gauge<double>(lattice_, path)); };
  }

  test::SharedFolder folder_{make_bad_files};
  Lattice lattice_{processes(), {.extents = parallel_extents}};
};

TEST_F(ParallelInput, ThatIsBadIsRefusedByAllWithOneReason) {
  expect_one_error(read("absent"), "No such file or directory");
  expect_one_error(read("absent"), on_all());
  expect_one_error(read(""), "it is a folder");
  expect_one_error(read("empty"), "it is empty (0 bytes)");
  expect_one_error(read("truncated"), "is truncated");
  expect_one_error(read("headless"), "is truncated");
  expect_one_error(read("noise"), "has an unknown format");
  expect_one_error(read("damaged"), "wrong checksum: the file states ");
  expect_one_error(read("another-plaquette"), "wrong plaquette: the file states 0.25");
  expect_one_error(read("not-finite"),
                   "1 of 12288 links hold NaN or infinity, the first in direction t at site (x, y, z, t) = "
                   "(7, 3, 11, 7)");
  expect_one_error([&] { static_cast<void>(read_propagator<double>(lattice_, folder_ / "valid")); }, "is no LIME file");
  expect_one_error([&] { inspect_gauge(folder_ / "absent", {}, processes()); }, on_all());
  const Lattice other(processes(), {.extents = {8, 8, 8, 8}});
  expect_one_error([&] { static_cast<void>(read_gauge<double>(other, folder_ / "valid")); },
                   "has extents 8x4x12x8 (x, y, z, t), but the lattice has 8x8x8x8");
  EXPECT_NO_THROW(read("valid")());
}

TEST_F(ParallelInput, WithAWrongPlaquetteIsTakenByAllWhereWanted) {
  int told = 0;
  set_message_handler([&](MessageKind, const std::string&) { ++told; });
  EXPECT_NO_THROW(read_gauge<double>(lattice_, folder_ / "another-plaquette", {.ignore_stated_plaquette = true}));
  set_message_handler({});
  EXPECT_EQ(told, processes().rank() == 0 ? 1 : 0);
}

TEST_F(ParallelInput, ThatIsBadForOneIsRefusedByAll) {
  if (processes().size() == 1) GTEST_SKIP() << "needs several processes";
  expect_one_error(read("valid", "absent"), "No such file or directory " + on_last());
  expect_one_error(read("valid", "truncated"), "processes see different files");
  expect_errors(read("valid", "damaged"), "wrong checksum");
  EXPECT_NO_THROW(read("unsummed")());
  EXPECT_NO_THROW(read("unsummed-later")());
  expect_one_error(read("unsummed", "unsummed-later"), "processes see different files, with other content here");
  expect_one_error(read("unsummed", "unsummed-later"), on_last());
}

TEST(ParallelOutput, ThatCannotBeMadeIsRefusedByAllWithOneReason) {
  const test::SharedFolder folder;
  HostLinks links = test::random_links(parallel_extents);
  const Lattice lattice(processes(), {.extents = parallel_extents});
  const auto field = to_gauge_field<double>(lattice, links);
  expect_one_error(
      [&] { write_gauge(folder / "absent/a", field); },
      "no file can be made in its folder (" + (folder / "absent").string() + " does not exist) " + on_process(0));
  expect_one_error([&] { write_gauge(folder.path(), field); }, "it is a folder " + on_process(0));
  expect_one_error([&] { write_gauge(folder / "a", field, {.bits = 16}); }, "with 16 bits: use 32 or 64");
  links.link(lexicographic_index({5, 2, 7, 6}, parallel_extents), 2)[4] = std::numeric_limits<double>::quiet_NaN();
  const auto bad = to_gauge_field<double>(lattice, links);
  expect_one_error([&] { write_gauge(folder / "a", bad); },
                   "1 of 12288 links hold NaN or infinity, the first in direction z at site (x, y, z, t) = "
                   "(5, 2, 7, 6)");
  folder.look([](const test::TemporaryFolder& written) { EXPECT_EQ(written.entries(), 0); });
}

TEST(ParallelOutput, MustHaveOneHeader) {
  if (processes().size() == 1) GTEST_SKIP() << "needs several processes";
  const test::SharedFolder folder;
  const Lattice lattice(processes(), {.extents = parallel_extents});
  const auto field = to_gauge_field<double>(lattice, test::random_links(parallel_extents));
  const WriteOptions options{.info = is_last() ? "a text that is longer by some words" : "a text"};
  const std::string text = expect_errors([&] { write_gauge(folder / "a", field, options); }, on_last());
  test::expect_text(text, "give the same options and texts to all processes");
  folder.look([](const test::TemporaryFolder& written) { EXPECT_EQ(written.entries(), 0); });
}

/// Writes a file of which every process has a kilobyte; the disk of the last process is full.
void write_with_one_disk_full(const fs::path& path) {
  const std::optional<test::FileSizeLimit> limit = is_last() ? std::optional<test::FileSizeLimit>(1000) : std::nullopt;
  OutputFile file(path, processes());
  file.write("header");
  const std::vector<std::byte> bytes(1024);
  const std::uint64_t offset = file.reserve(bytes.size() * static_cast<std::size_t>(processes().size()));
  file.write_own(offset + static_cast<std::size_t>(processes().rank()) * bytes.size(), bytes);
  file.commit();
}

TEST(ParallelOutput, LeavesNothingBehindWhenADiskIsFull) {
  const test::SharedFolder folder([](const test::TemporaryFolder& files) { test::write_bytes(files / "a", "old"); });
  expect_one_error([&] { write_with_one_disk_full(folder / "a"); }, "nothing was left behind " + on_last());
  const Lattice lattice(processes(), {.extents = parallel_extents});
  const auto field = to_gauge_field<double>(lattice, test::random_links(parallel_extents));
  const auto propagator = to_spinor_field<double>(lattice, test::random_propagator(parallel_extents));
  for (const int rank : {0, processes().size() - 1}) {
    std::optional<test::FileSizeLimit> limit;
    if (processes().rank() == rank) limit.emplace(1000);
    const std::string reason = "nothing was left behind " + on_process(rank);
    expect_one_error([&] { write_gauge(folder / "a", field); }, reason);
    expect_one_error([&] { write_gauge(folder / "a", field, nersc); }, reason);
    expect_one_error([&] { write_propagator(folder / "a", propagator); }, reason);
  }
  folder.look([](const test::TemporaryFolder& written) {
    EXPECT_EQ(written.entries(), 1);
    EXPECT_EQ(test::read_text(written / "a"), "old");
  });
}

TEST(Together, ThrowsWhatTheFirstProcessSaysThatFails) {
  const int size = processes().size(), rank = processes().rank();
  const auto fail_from = [&](int first) {
    return [=] {
      together(processes(), [&] {
        if (rank >= first) throw Error("broken on " + std::to_string(rank));
      });
    };
  };
  expect_one_error(fail_from(0), size == 1 ? "broken on 0" : "broken on 0 " + on_all());
  if (size > 1) expect_one_error(fail_from(size - 1), fmt::format("broken on {} {}", size - 1, on_last()));
  if (size > 2) {
    expect_one_error(fail_from(1),
                     fmt::format("broken on 1 (on {} of {} processes, this is process 1)", size - 1, size));
  }
  EXPECT_NO_THROW(fail_from(size)());
}

TEST(ExactSum, DoesNotDependOnTheProcesses) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-18, 18);
  ExactSum whole, own;
  const int size = processes().size();
  for (int k = 0; k < 1000; ++k) {
    const double term = uniform(generator) * (k % 10 == 0 ? 1e4 : 1);
    whole.add(term);
    if (k % size == processes().rank()) own.add(term);
  }
  EXPECT_EQ(own.total(processes()), whole.total({}));
  ExactSum small;
  for (const double term : {-3.5, 0.25, -1e-9, 1e5, -1e5 + 0.125}) small.add(term);
  EXPECT_DOUBLE_EQ(small.total({}), -3.125 - 1e-9);
  small.add(1e7);
  EXPECT_TRUE(std::isnan(small.total({})));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
