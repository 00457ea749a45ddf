// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/foreign_files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/io/gauge_file.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <limits>

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::dd_alphaamg_file;
using test::expect_text;
using test::milc_file;
using test::openqcd_file;
using MilcFile = test::FileTest;
using RawFile = test::FileTest;

const Coordinates extents{4, 2, 6, 8};  // all different, so that no exchange of directions remains unnoticed

TEST_F(MilcFile, IsReadInBothByteOrders) {
  const HostLinks field = test::random_links(extents);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    test::write_bytes(folder / "a", milc_file(field, order));
    const HostGaugeFile read = read_links(folder / "a");
    EXPECT_EQ(read.header.format, GaugeFormat::milc);
    EXPECT_EQ(read.header.byte_order, order);
    EXPECT_EQ(read.links.extents, extents);
    EXPECT_EQ(read.links.links, test::rounded_to_float(field.links));
    EXPECT_EQ(read.header.metadata.front().second, "Sat Nov 21 10:00:00 2026");
  }
}

TEST_F(MilcFile, IsRefusedWhenDamaged) {
  const std::string valid = milc_file(test::random_links(extents), ByteOrder::little);
  const auto message = [&](const std::string& bytes) {
    test::write_bytes(folder / "a", bytes);
    return test::error_text([&] { read_links(folder / "a"); });
  };
  expect_text(message(valid.substr(0, 90)), "is truncated: 96 bytes were expected from byte 0 on, but the file has 90");
  expect_text(message(valid.substr(0, valid.size() - 4)), "is truncated: it has 110684 bytes and should have 110688");
  expect_text(message(valid + "1234"), "is too long: it has 110692 bytes and should have 110688");
  expect_text(message(test::damaged(valid, 1000)), "wrong checksum: the file states sum29 ");
  std::string altered = valid;
  altered[84] = 1;
  expect_text(message(altered), "a MILC file with site order 1; only the natural order 0 can be read");
  altered = valid;
  altered[4] = 5;
  expect_text(message(altered), "has extents 5x2x6x8 (x, y, z, t): each must be even");
}

TEST_F(RawFile, TheStatedPlaquetteTellsOpenQcdFromDdAlphaAmg) {
  const HostLinks field = test::random_links(extents);
  test::write_bytes(folder / "openqcd", openqcd_file(field));
  test::write_bytes(folder / "dd", dd_alphaamg_file(field));
  for (const auto& [name, format] :
       {std::pair{"openqcd", GaugeFormat::openqcd}, std::pair{"dd", GaugeFormat::dd_alphaamg}}) {
    const HostGaugeFile read = read_links(folder / name);
    EXPECT_EQ(read.header.format, format);
    EXPECT_EQ(read.links.extents, extents);
    EXPECT_EQ(read.links.links, field.links);
    EXPECT_EQ(inspect_gauge(folder / name).format, format);
    EXPECT_EQ(read_links(folder / name, {.extents = extents, .format = format}).links.links, field.links);
  }
}

/// Calls code() where parallel regions have so many threads.
template <class Code>
void with_threads([[maybe_unused]] int threads, const Code& code) {
#if defined(_OPENMP)
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  code();
  omp_set_num_threads(before);
#else
  code();
#endif
}

// The file has three pieces of a mebibyte.
TEST(ForeignFile, OfSeveralPiecesIsReadAlikeByAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  const Coordinates large{8, 6, 8, 12};
  HostLinks field = test::random_links(large);
  test::write_bytes(folder / "openqcd", openqcd_file(field));
  test::write_bytes(folder / "dd", dd_alphaamg_file(field));
  test::write_bytes(folder / "milc", milc_file(field, ByteOrder::little));
  HostLinks damaged = field;
  for (const std::ptrdiff_t site : {4600, 37, 2222}) {
    damaged.link(site, 2)[4] = std::numeric_limits<double>::quiet_NaN();
  }
  constexpr std::size_t header_bytes = 24;  // the plaquette of damaged links is no number
  test::write_bytes(folder / "damaged",
                    openqcd_file(field).substr(0, header_bytes) + openqcd_file(damaged).substr(header_bytes));
  const double as_one = plaquette(field), trace = link_trace(field);
  for (const int threads : {1, 2, 4}) {
    with_threads(threads, [&] {
      for (const char* name : {"openqcd", "dd"}) {
        const HostGaugeFile read = read_links(folder / name);
        EXPECT_EQ(read.links.links, field.links);
        EXPECT_EQ(read.report.plaquette, as_one);
        EXPECT_EQ(read.report.link_trace, trace);
      }
      const HostGaugeFile milc = read_links(folder / "milc");
      EXPECT_EQ(milc.links.links, test::rounded_to_float(field.links));
      EXPECT_EQ(milc.report.checksum, milc.header.checksum);
      const std::string text =
          test::error_text([&] { read_links(folder / "damaged", {.extents = large, .format = GaugeFormat::openqcd}); });
      expect_text(text,
                  "3 of 18432 links hold NaN or infinity, the first in direction z at site (x, y, z, t) = "
                  "(5, 4, 0, 0)");
    });
  }
}

TEST_F(RawFile, OfAFieldWithOpenBoundariesIsRefusedAsSuch) {
  HostLinks field = test::random_links(extents);
  const std::ptrdiff_t volume = volume_of(extents);
  for (std::ptrdiff_t site = volume - volume / extents[3]; site < volume; ++site) {
    std::fill_n(field.link(site, 3), 9, 0.0);
  }
  const std::string reason = "4x2x6x8) is a gauge field with open boundaries in time, as openQCD has them";
  for (const std::string& bytes : {openqcd_file(field), dd_alphaamg_file(field)}) {
    test::write_bytes(folder / "a", bytes);
    KAON_EXPECT_ERROR(read_links(folder / "a"), reason);
  }
  EXPECT_EQ(read_links(folder / "a", {.extents = extents, .require_special_unitary = false}).links.links, field.links);
  // Nothing but zeros is no such field.
  std::fill(field.links.begin(), field.links.end(), 0.0);
  test::write_bytes(folder / "a", openqcd_file(field));
  KAON_EXPECT_ERROR(read_links(folder / "a"), "links are not in SU(3)");
}

TEST_F(RawFile, IsRefusedWithTheReasonsForBothReadings) {
  std::string bytes = openqcd_file(test::random_links(extents));
  store(reinterpret_cast<std::byte*>(&bytes[16]), 1.5, ByteOrder::little);
  test::write_bytes(folder / "a", bytes);
  const std::string text = test::error_text([&] { read_links(folder / "a"); });
  expect_text(
      text, "read as openQCD, 4x2x6x8, 64 bits, little endian:\n  - wrong plaquette: the file states 0.5 (its header)");
  expect_text(text, "read as DD-alphaAMG raw, 6x2x4x8, 64 bits, little endian:\n  - wrong plaquette");
  test::write_bytes(folder / "a", bytes.substr(0, bytes.size() - 8));
  KAON_EXPECT_ERROR(read_links(folder / "a"), "is truncated");
  KAON_EXPECT_ERROR(read_links(folder / "a", {.extents = Coordinates{8, 8, 8, 8}}), "is truncated");
  test::write_bytes(folder / "a", bytes);
  KAON_EXPECT_ERROR(read_links(folder / "a", {.extents = Coordinates{8, 8, 8, 8}}),
                    "has extents 4x2x6x8 (x, y, z, t), but the lattice has 8x8x8x8");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
