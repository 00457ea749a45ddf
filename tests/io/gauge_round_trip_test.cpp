// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/gauge_file.hpp>

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::largest_difference;
using test::random_links;
using test::rounded_to_float;
using LinksFile = test::FileTest;
using SmearedLinks = test::FileTest;

const Coordinates extents{4, 6, 2, 8};

TEST(HostLinks, PlaquetteOfAUnitFieldIsOne) {
  HostLinks unit(extents);
  for (std::size_t k = 0; k < unit.links.size(); k += 9) unit.links[k] = unit.links[k + 4] = unit.links[k + 8] = 1;
  EXPECT_DOUBLE_EQ(plaquette(unit), 1);
  EXPECT_DOUBLE_EQ(link_trace(unit), 1);
}

struct Case {
  const char* name;
  WriteOptions options;
};

class GaugeRoundTrip : public ::testing::TestWithParam<Case> {};

TEST_P(GaugeRoundTrip, GivesTheSameLinks) {
  const test::TemporaryFolder folder;
  const HostLinks field = random_links(extents);
  const WriteOptions& options = GetParam().options;
  write_links(folder / "field", field, options);
  EXPECT_EQ(folder.entries(), 1);

  const HostGaugeFile read = read_links(folder / "field");
  EXPECT_EQ(read.header.format, options.format);
  EXPECT_EQ(read.header.bits, options.bits);
  EXPECT_EQ(read.header.rows, options.rows);
  EXPECT_EQ(read.links.extents, extents);
  ASSERT_TRUE(read.header.checksum && read.header.plaquette && read.header.link_trace);
  EXPECT_EQ(read.header.checksum, read.report.checksum);
  EXPECT_NEAR(read.header.plaquette->value, plaquette(field), 1e-12);
  EXPECT_NEAR(read.header.link_trace->value, link_trace(field), 1e-12);
  EXPECT_TRUE(read.report.notes.empty());

  if (options.rows == 2) {
    EXPECT_LT(largest_difference(read.links.links, field.links), options.bits == 32 ? 5e-7 : 1e-15);
  } else {
    EXPECT_EQ(read.links.links, options.bits == 32 ? rounded_to_float(field.links) : field.links);
  }
  // Links that were read and written again are the same to the last bit.
  const Checksum checksum = write_links(folder / "again", read.links, options);
  EXPECT_EQ(checksum, read.header.checksum);
  EXPECT_EQ(read_links(folder / "again").links.links, read.links.links);
  EXPECT_EQ(inspect_gauge(folder / "again").checksum, read.header.checksum);
}

INSTANTIATE_TEST_SUITE_P(
    AllFormats, GaugeRoundTrip,
    ::testing::Values(Case{"Nersc64Big", {.format = GaugeFormat::nersc}},
                      Case{"Nersc64Little", {.format = GaugeFormat::nersc, .byte_order = ByteOrder::little}},
                      Case{"Nersc32Big", {.format = GaugeFormat::nersc, .bits = 32}},
                      Case{"Nersc32Little",
                           {.format = GaugeFormat::nersc, .bits = 32, .byte_order = ByteOrder::little}},
                      Case{"NerscTwoRows64", {.format = GaugeFormat::nersc, .rows = 2}},
                      Case{"NerscTwoRows32", {.format = GaugeFormat::nersc, .bits = 32, .rows = 2}},
                      Case{"Ildg64", {.format = GaugeFormat::ildg, .info = "beta < 6 & more"}},
                      Case{"Ildg32", {.format = GaugeFormat::ildg, .bits = 32}},
                      Case{"SciDac64", {.format = GaugeFormat::scidac}},
                      Case{"SciDac32", {.format = GaugeFormat::scidac, .bits = 32}}),
    [](const auto& info) { return info.param.name; });

template <class T>
class GaugeFieldFile : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(GaugeFieldFile, Precisions);

TYPED_TEST(GaugeFieldFile, GivesTheSameField) {
  using T = TypeParam;
  const test::TemporaryFolder folder;
  const HostLinks host = random_links(extents);
  write_links(folder / "a", host);
  const Lattice lattice({.extents = inspect_gauge(folder / "a").extents});
  const GaugeField<T> field = read_gauge<T>(lattice, folder / "a");
  const auto expected = sizeof(T) == 4 ? rounded_to_float(host.links) : host.links;
  EXPECT_EQ(to_host_links(field).links, expected);
  for (const GaugeFormat format : {GaugeFormat::nersc, GaugeFormat::ildg}) {
    write_gauge(folder / "b", field, {.format = format});
    EXPECT_EQ(to_host_links(read_gauge<T>(lattice, folder / "b")).links, expected);
  }
}

TYPED_TEST(GaugeFieldFile, MustHaveTheExtentsOfTheLattice) {
  const test::TemporaryFolder folder;
  write_links(folder / "a", random_links(extents));
  const Lattice lattice({.extents = {4, 6, 2, 4}});
  KAON_EXPECT_ERROR(read_gauge<TypeParam>(lattice, folder / "a"),
                    "has extents 4x6x2x8 (x, y, z, t), but the lattice has 4x6x2x4");
}

TEST(PreparedGauge, HasNoNameBeforeItIsCommitted) {
  const test::TemporaryFolder folder;
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
  set_weak(links, 0.3, {.seed = 5});
  const Checksum expected = write_gauge(folder / "expected", links);
  {
    const PreparedGauge never(folder / "a", links);
    EXPECT_EQ(to_string(never.checksum()), to_string(expected));
    EXPECT_EQ(folder.entries(), 2);
  }
  EXPECT_EQ(folder.entries(), 1);
  PreparedGauge prepared(folder / "a", links);
  PreparedGauge file = std::move(prepared);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(folder.entries(), 2);
  EXPECT_EQ(read_gauge<double>(links.lattice(), folder / "a").to_host(), links.to_host());
  KAON_EXPECT_ERROR(file.commit(), "has its name already");
}

// Codes disagree about the byte order of a plain IEEE32 or IEEE64, so the content decides.
TEST(NerscArchive, PlainFloatingPointIsReadInEitherOrder) {
  const test::TemporaryFolder folder;
  const HostLinks field = random_links(extents);
  for (const int bits : {32, 64}) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      write_links(folder / "a", field, {.format = GaugeFormat::nersc, .bits = bits, .rows = 2, .byte_order = order});
      std::string bytes = test::read_text(folder / "a");
      const std::string suffix = order == ByteOrder::big ? "BIG\n" : "LITTLE\n";
      bytes.erase(bytes.find(suffix), suffix.size() - 1);
      test::write_bytes(folder / "b", bytes);
      const HostGaugeFile read = read_links(folder / "b");
      EXPECT_EQ(read.header.byte_order, order);
      EXPECT_EQ(read.links.links, read_links(folder / "a").links.links);
    }
  }
}

// Any lattice that kaon computes on.
TEST_F(LinksFile, MayHaveLongDirections) {
  const HostLinks field = random_links({2, 2, 2, 4098});
  for (const GaugeFormat format : {GaugeFormat::ildg, GaugeFormat::nersc}) {
    write_links(folder / "long", field, {.format = format});
    EXPECT_EQ(read_links(folder / "long").links.links, field.links);
  }
}

// A header describes links as they are stored, with the sign.
TEST_F(LinksFile, WithAFoldedAntiperiodicSignMayStateTheLinkTraceOfEither) {
  const HostLinks field = random_links(extents);
  HostLinks folded = field;
  const auto volume = volume_of(extents);
  for (std::ptrdiff_t site = volume - volume / extents[3]; site < volume; ++site) {
    for (int k = 0; k < 9; ++k) folded.link(site, 3)[k] *= -1.0;
  }
  const auto file_of = [&](double stated) {
    write_links(folder / "a", field, {.format = GaugeFormat::nersc});
    const std::string plain = test::read_text(folder / "a");
    const std::size_t body = plain.size() - field.links.size() * 16;
    std::string header = plain.substr(0, body), bytes = plain.substr(body);
    for (std::ptrdiff_t site = volume - volume / extents[3]; site < volume; ++site) {
      for (int k = 0; k < 18; ++k) bytes[static_cast<std::size_t>((site * 4 + 3) * 18 + k) * 8] ^= '\x80';
    }
    const auto replace_line = [&](const std::string& key, const std::string& value) {
      const auto from = header.find(key + " = ");
      header.replace(from, header.find('\n', from) - from, key + " = " + value);
    };
    replace_line("LINK_TRACE", fmt::format("{:.12g}", stated));
    header.erase(header.find("CHECKSUM"), header.find("ENSEMBLE_ID") - header.find("CHECKSUM"));
    test::write_bytes(folder / "b", header + bytes);
    return folder / "b";
  };
  for (const double stated : {link_trace(field), link_trace(folded)}) {
    const HostGaugeFile read = read_links(file_of(stated));
    EXPECT_EQ(read.links.links, field.links);
    EXPECT_EQ(read.report.link_trace, link_trace(field));
  }
  KAON_EXPECT_ERROR(read_links(file_of(link_trace(field) + 0.01)), "wrong link trace");
}

TEST_F(LinksFile, AFoldedAntiperiodicSignIsRemovedAndReported) {
  const HostLinks field = random_links(extents);
  write_links(folder / "a", field, {.format = GaugeFormat::scidac});
  std::string bytes = test::read_text(folder / "a");
  // Flip the sign bits of the last slice's time links; drop the checksum, which they change.
  const std::size_t body = bytes.find("scidac-binary-data") + 128;
  const auto volume = static_cast<std::size_t>(volume_of(extents));
  for (std::size_t site = volume - volume / 8; site < volume; ++site) {
    for (std::size_t k = 0; k < 18; ++k) bytes[body + ((site * 4 + 3) * 18 + k) * 8] ^= '\x80';
  }
  bytes.resize(body + volume * 576);
  test::write_bytes(folder / "b", bytes);

  const HostGaugeFile read = read_links(folder / "b");
  EXPECT_EQ(read.links.links, field.links);
  ASSERT_EQ(read.report.notes.size(), 2u);
  test::expect_text(read.report.notes[0], "the file states no checksum");
  test::expect_text(read.report.notes[1], "the antiperiodic sign folded into the time links");
  KAON_EXPECT_ERROR(read_links(folder / "b", {.unfold_antiperiodic = false}), "48 of 1536 links are not in SU(3)");
}

// Fat and long links are in no group.
TEST_F(SmearedLinks, AreWrittenAndReadWhereThatIsAllowed) {
  HostLinks field = random_links(extents);
  for (std::size_t k = 0; k < field.links.size(); ++k) field.links[k] *= 9.0 + 0.001 * static_cast<double>(k % 7);
  WriteOptions options{.format = GaugeFormat::scidac, .info = "fat < 10", .require_special_unitary = false};
  const ReadOptions as_they_are{.unfold_antiperiodic = false, .require_special_unitary = false};
  for (const int bits : {64, 32}) {
    options.bits = bits;
    write_links(folder / "fat", field, options);
    const HostGaugeFile read = read_links(folder / "fat", as_they_are);
    EXPECT_EQ(read.links.links, bits == 32 ? rounded_to_float(field.links) : field.links);
    EXPECT_FALSE(read.header.plaquette.has_value());
    EXPECT_EQ(read.header.checksum, read.report.checksum);
    KAON_EXPECT_ERROR(read_links(folder / "fat"), "are not in SU(3)");
  }
  for (const GaugeFormat format : {GaugeFormat::ildg, GaugeFormat::nersc}) {
    options.format = format;
    KAON_EXPECT_ERROR(write_links(folder / "a", field, options),
                      "links that need not be in SU(3) are written as SciDAC (LIME)");
  }
  options.format = GaugeFormat::scidac;
  field.links[5] = 1e39;  // as for tadpole factors near 0
  options.bits = 32;
  KAON_EXPECT_ERROR(write_links(folder / "a", field, options),
                    "1 of its 13824 numbers are NaN, infinite or too large for 32 bits");
  options.bits = 64;
  field.links[5] = std::numeric_limits<double>::quiet_NaN();
  KAON_EXPECT_ERROR(write_links(folder / "a", field, options),
                    "links hold NaN or infinity, the first in direction x at site (x, y, z, t) = (0, 0, 0, 0)");
  EXPECT_EQ(folder.entries(), 1);
}

// Vectors of 12 x 48 bytes a site are as many bytes as four matrices.
TEST_F(SmearedLinks, AreMatrices) {
  const WriteOptions options{.format = GaugeFormat::scidac, .require_special_unitary = false};
  write_links(folder / "fat", random_links(extents), options);
  const std::string bytes = test::read_text(folder / "fat");
  const std::string shape = "<typesize>144</typesize>\n<datacount>4</datacount>";
  const auto with_shape = [&](const std::string& other) {
    test::write_bytes(folder / "altered", test::altered(bytes, shape, other));
    return folder / "altered";
  };
  const ReadOptions as_they_are{.require_special_unitary = false};
  EXPECT_NO_THROW(read_links(with_shape("<typesize>576</typesize>\n<datacount>1</datacount>"), as_they_are));
  for (const std::string other :
       {"<typesize>48</typesize>\n<datacount>12</datacount>", "<typesize>96</typesize>\n<datacount>6</datacount> "}) {
    KAON_EXPECT_ERROR(read_links(with_shape(other), as_they_are), "not a gauge field");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
