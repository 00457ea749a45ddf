// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"
#include "tests/support/data.hpp"

#include <kaon/io/propagator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

// Propagators of one spin: MILC's own format, and SciDAC files of colour vectors.

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;

const Coordinates extents{4, 2, 6, 4};
constexpr std::size_t volume = 4 * 2 * 6 * 4, milc_header = 36, milc_bytes = milc_header + 72 * volume;

HostPropagator random_propagator(std::uint64_t seed, int spins = 1) {
  return test::random_propagator(extents, spins, 3, seed);
}

void write_milc(const std::filesystem::path& path, const HostPropagator& propagator) {
  write_propagator(path, propagator, {.bits = 32, .format = PropagatorFormat::milc});
}

/// Every 32-bit word of the bytes the other way round.
std::string reversed_words(std::string bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 4) std::reverse(bytes.begin() + at, bytes.begin() + at + 4);
  return bytes;
}

std::string with_word(std::string bytes, std::size_t word, std::int32_t value) {
  std::memcpy(&bytes[4 * word], &value, 4);
  return bytes;
}

/// Refusal of a file of these bytes.
std::string refusal(const std::string& bytes, const PropagatorReadOptions& options = {}) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "b", bytes);
  return error_text([&] { read_propagator(folder / "b", options); });
}

/// The bytes of a file that `write` writes.
template <class Write>
std::string bytes_of(Write&& write) {
  const test::TemporaryFolder folder;
  write(folder / "a");
  return test::read_text(folder / "a");
}

TEST(MilcPropagator, GivesTheSameNumbersInEitherByteOrder) {
  const test::TemporaryFolder folder;
  const HostPropagator propagator = random_propagator(1);
  write_milc(folder / "little", propagator);
  test::write_bytes(folder / "big", reversed_words(test::read_text(folder / "little")));
  for (const char* name : {"little", "big"}) {
    const HostPropagatorFile read = read_propagator(folder / name);
    EXPECT_EQ(read.bits, 32);
    EXPECT_EQ(read.propagator.extents, extents);
    EXPECT_EQ(read.propagator.spins, 1);
    EXPECT_EQ(read.propagator.values, test::rounded_to_float(propagator.values));
    EXPECT_FALSE(read.checksum.has_value());
    ASSERT_EQ(read.notes.size(), 1u);
    expect_text(read.notes.front(), "the format has no checksum");
  }
}

// [source colour][sink colour], x fastest.
TEST(MilcPropagator, HasTheIndexOrderOfMilc) {
  HostPropagator propagator(extents, 1);
  propagator.values[propagator.index(5, 0, 2, 0, 1)] = 1;
  const std::string bytes = bytes_of([&](const auto& path) { write_milc(path, propagator); });
  ASSERT_EQ(bytes.size(), milc_bytes);
  EXPECT_EQ(bytes.find(std::string("\x80\x3f", 2), milc_header) - 2 - milc_header, 8u * (5 * 9 + 3 * 1 + 2));
}

// MILC's files come back byte for byte, except for the date.
TEST(MilcPropagator, OfMilcComesBackAsItWas) {
  KAON_TEST_DATA_FILE(path, "milc/ksprop_fm.sample.l4448.ll");
  const HostPropagatorFile read = read_propagator(path);
  EXPECT_EQ(read.propagator.extents, (Coordinates{4, 4, 4, 8}));
  const std::string written = bytes_of([&](const auto& file) { write_milc(file, read.propagator); });
  const std::string original = test::read_text(path);
  EXPECT_EQ(written.substr(0, 4), original.substr(0, 4));
  EXPECT_TRUE(written.substr(8) == original.substr(8));
}

TEST(MilcPropagator, IsRefusedWhenDamaged) {
  const std::string bytes = bytes_of([&](const auto& path) { write_milc(path, random_propagator(1)); });
  expect_text(refusal(bytes.substr(0, 20)), "is truncated");
  expect_text(refusal(bytes.substr(0, bytes.size() - 4)), "a MILC header of 36 bytes and 192 sites of 72 bytes");
  expect_text(refusal(bytes + "1234"), "a MILC header of 36 bytes and 192 sites of 72 bytes");
  expect_text(refusal(bytes, {.extents = Coordinates{4, 4, 4, 4}}),
              "has extents 4x2x6x4 (x, y, z, t), but the lattice");
  expect_text(refusal(with_word(bytes, 3, 288)), "is a MILC propagator of 288 numbers of 4 bytes at a site, not of 18");
  expect_text(refusal(with_word(bytes, 2, 8)), "of 18 numbers of 8 bytes at a site");
  expect_text(refusal(with_word(bytes, 8, 1)), "site order 1; only the natural order 0");
  expect_text(refusal(with_word(bytes, 4, -4)), "each must be at least 1, for at most 2^40 sites");
  expect_text(refusal(with_word(bytes, 12, 0x7fc00000)), "1 of its 1728 numbers are NaN or infinite");
}

TEST(MilcPropagator, OfOtherParticlesIsRefused) {
  KAON_TEST_DATA_FILE(path, "milc/wprop_fm.sample.l4448.ll");
  KAON_EXPECT_ERROR(read_propagator(path), "is a MILC propagator of 288 numbers of 4 bytes at a site");
}

TEST(ColorVectorPairs, GiveTheSameNumbers) {
  const test::TemporaryFolder folder;
  const HostPropagator propagator = random_propagator(1), sources = random_propagator(2);
  for (const int bits : {32, 64}) {
    write_propagator(folder / "a", propagator, sources, {.bits = bits, .info = "mass < 0.1"});
    const HostPropagatorFile read = read_propagator(folder / "a");
    EXPECT_EQ(read.bits, bits);
    EXPECT_EQ(read.info, "mass < 0.1");
    EXPECT_TRUE(read.notes.empty());
    EXPECT_EQ(read.propagator.extents, extents);
    EXPECT_EQ(read.propagator.spins, 1);
    EXPECT_EQ(read.propagator.values, bits == 32 ? test::rounded_to_float(propagator.values) : propagator.values);
  }
}

// Records as MILC writes and reads them: the source of colour 0, the propagator of colour 0, and so on.
TEST(ColorVectorPairs, HaveTheRecordsOfUsqcd) {
  HostPropagator propagator(extents, 1), sources(extents, 1);
  propagator.values[propagator.index(5, 0, 2, 0, 1)] = 1;
  sources.values[sources.index(3, 0, 2, 0, 2)] = 1;
  const std::string bytes = bytes_of([&](const auto& path) { write_propagator(path, propagator, sources); });
  expect_text(bytes,
              "<usqcdKSPropFile>\n<version>1.0</version>\n<type>USQCD_ColorVector_Source_Sink_Pairs</type>\n<info>");
  std::size_t at = 0;
  for (int color = 0; color < 3; ++color) {
    for (const bool is_source : {true, false}) {
      const std::string name = is_source ? "usqcdSourceInfo" : "usqcdKSPropInfo";
      at = bytes.find("<datatype>USQCD_D3_ColorVector</datatype>", at);
      ASSERT_NE(at, bytes.npos);
      at = bytes.find("<" + name + ">\n<version>1.0</version>\n<color>" + std::to_string(color) + "</color>", at);
      ASSERT_NE(at, bytes.npos);
      at = bytes.find("scidac-binary-data", at) + 128;
      const std::string body = bytes.substr(at, 48 * volume);
      const std::size_t one = body.find("\x3f\xf0");
      if (is_source) {
        EXPECT_EQ(one, color == 2 ? 16u * (3 * 3 + 2) : body.npos);
      } else {
        EXPECT_EQ(one, color == 1 ? 16u * (5 * 3 + 2) : body.npos);
      }
    }
  }
}

// A file may have no sources, or state no colours: three vectors in their order, as MILC saves single ones.
TEST(ColorVectorPairs, AreReadWithoutSourcesToo) {
  const HostPropagator propagator = random_propagator(1);
  std::string bytes = bytes_of([&](const auto& path) { write_propagator(path, propagator, propagator); });
  for (std::size_t at = 0; (at = bytes.find("usqcdSourceInfo", at)) != bytes.npos; ++at) {
    bytes[at + 5] = 'X';  // an unknown record, which the file has beside its propagator
  }
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "b", bytes);
  EXPECT_EQ(read_propagator(folder / "b").propagator.values, propagator.values);
}

TEST(ColorVectorPairs, AreRefusedWhenDamaged) {
  const HostPropagator propagator = random_propagator(1), sources = random_propagator(2);
  const std::string bytes =
      bytes_of([&](const auto& path) { write_propagator(path, propagator, sources, {.bits = 32}); });
  expect_text(refusal(bytes.substr(0, bytes.size() / 2)), "is truncated");
  expect_text(refusal(bytes + "x"), "is too long");
  const std::size_t first = bytes.find("usqcdKSPropInfo"), body = bytes.find("scidac-binary-data", first) + 200;
  expect_text(refusal(test::damaged(bytes, body)), "wrong checksum: the file states suma ");
  expect_text(refusal(bytes, {.extents = Coordinates{4, 4, 4, 4}}), "but the lattice has 4x4x4x4");
  std::string altered = test::altered(bytes, "<usqcdKSPropInfo>", "<usqcdKSPropXXXX>");
  expect_text(refusal(altered), "holds 2 colour vectors of a propagator");
  altered = test::altered(altered, "</usqcdKSPropInfo>", "</usqcdKSPropXXXX>");
  expect_text(refusal(altered), "holds 2 colour vectors of a propagator: a propagator of one spin has 3");
  const std::size_t color = bytes.find("<color>", first) + 7;
  altered = bytes;
  altered[color] = '2';
  expect_text(refusal(altered), "state the source colour 2 out of range or twice");
  altered[color] = '7';
  expect_text(refusal(altered), "state the source colour 7 out of range or twice");
  // All behind the second propagator is missing, at the end of a record.
  const std::size_t third = bytes.rfind("usqcdKSPropInfo", bytes.rfind("usqcdKSPropInfo") - 100);
  const std::size_t end = bytes.find("scidac-checksum", third);
  const std::size_t length = static_cast<unsigned char>(bytes[end - 1]);
  expect_text(refusal(bytes.substr(0, end + 128 + (length + 7) / 8 * 8)), "a propagator of one spin has 3");
}

TEST(StaggeredFiles, AreNotWrittenOfWhatTheyDoNotHold) {
  const test::TemporaryFolder folder;
  HostPropagator staggered = random_propagator(1);
  const HostPropagator dirac = random_propagator(1, 4);
  const auto message = [&](const HostPropagator& propagator, const PropagatorWriteOptions& options) {
    return error_text([&] { write_propagator(folder / "a", propagator, options); });
  };
  expect_text(message(staggered, {.format = PropagatorFormat::milc}), "with 64 bits: MILC's format has 32");
  expect_text(message(dirac, {.bits = 32, .format = PropagatorFormat::milc}), "a propagator of 4 spins and 3 colours");
  expect_text(message(staggered, {.format = PropagatorFormat::usqcd_pairs}), "and none were given");
  const HostPropagator of_two = random_propagator(1, 2);
  KAON_EXPECT_ERROR(write_propagator(folder / "a", of_two, of_two), "a propagator of 2 spins");
  KAON_EXPECT_ERROR(write_propagator(folder / "a", staggered, dirac), "have two shapes");
  HostPropagator turned = random_propagator(1);
  turned.extents = {2, 4, 6, 4};
  KAON_EXPECT_ERROR(write_propagator(folder / "a", staggered, turned), "have two shapes");
  staggered.values[3] = std::numeric_limits<double>::infinity();
  expect_text(message(staggered, {.bits = 32, .format = PropagatorFormat::milc}), "1 of its 1728 numbers are NaN");
  KAON_EXPECT_ERROR(write_propagator(folder / "a", random_propagator(1), staggered), "1 of its 1728");
  EXPECT_EQ(folder.entries(), 0);
}

template <class T>
class StaggeredFields : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(StaggeredFields, Precisions);

TYPED_TEST(StaggeredFields, ComeBackFromEveryFormat) {
  using T = TypeParam;
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  const HostPropagator host = random_propagator(1);
  const auto propagator = to_spinor_field<T>(lattice, host),
             sources = to_spinor_field<T>(lattice, random_propagator(2));
  write_propagator(folder / "milc", propagator, {.bits = 32, .format = PropagatorFormat::milc});
  write_propagator(folder / "pairs", propagator, sources, {.bits = 32});
  for (const char* name : {"milc", "pairs"}) {
    const SpinorField<T> read = read_propagator<T>(lattice, folder / name);
    EXPECT_EQ(read.parameters(), propagator.parameters());
    EXPECT_EQ(to_host_propagator(read).values, test::rounded_to_float(host.values));
  }
  const SpinorField<T> other(Lattice({.extents = {4, 4, 4, 4}}), {.spins = 1, .right_hand_sides = 3});
  KAON_EXPECT_ERROR(write_propagator(folder / "a", propagator, other), "lie on two lattices");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
