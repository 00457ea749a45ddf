// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/foreign_files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/io/propagator.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;
using PropagatorFile = test::FileTest;

const Coordinates extents{4, 2, 6, 4};

HostPropagator random_propagator(int spins = 4, int colors = 3) {
  return test::random_propagator(extents, spins, colors);
}

TEST_F(PropagatorFile, GivesTheSameNumbers) {
  const HostPropagator propagator = random_propagator();
  for (const int bits : {64, 32}) {
    write_propagator(folder / "a", propagator, {.bits = bits, .info = "mass < 0 & csw > 1"});
    const HostPropagatorFile read = read_propagator(folder / "a");
    EXPECT_EQ(read.bits, bits);
    EXPECT_EQ(read.info, "mass < 0 & csw > 1");
    EXPECT_TRUE(read.checksum.has_value());
    EXPECT_TRUE(read.notes.empty());
    EXPECT_EQ(read.propagator.extents, extents);
    EXPECT_EQ(read.propagator.values, bits == 32 ? test::rounded_to_float(propagator.values) : propagator.values);
  }
}

// The record XML of Chroma's propagators, whose readers want elements of `Propagator`, beside the text of kaon.
TEST_F(PropagatorFile, HasTheHeaderOfChroma) {
  const HostPropagator propagator = random_propagator();
  const PropagatorWriteOptions options{.info = "a < b", .chroma_header = "<ForwardProp>\n</ForwardProp>\n"};
  write_propagator(folder / "a", propagator, options);
  expect_text(
      test::read_text(folder / "a"),
      "<Propagator>\n<version>1</version>\n<info>a &lt; b</info>\n<ForwardProp>\n</ForwardProp>\n</Propagator>");
  const HostPropagatorFile read = read_propagator(folder / "a");
  EXPECT_EQ(read.info, "a < b");
  EXPECT_EQ(read.propagator.values, propagator.values);
  const auto refused = [&](const HostPropagator& field, PropagatorFormat format, const std::string& header) {
    return error_text([&] { write_propagator(folder / "b", field, {.format = format, .chroma_header = header}); });
  };
  expect_text(refused(propagator, PropagatorFormat::scidac, "<ForwardProp>"), "scidac-record-xml");
  const std::string reason = "chroma_header is for propagators of 4 spins in the format scidac";
  expect_text(refused(random_propagator(1), PropagatorFormat::scidac, "<a></a>"), reason);
  expect_text(refused(propagator, PropagatorFormat::grid, "<a></a>"), reason);
  EXPECT_EQ(folder.entries(), 1);
}

// The order of QDP++'s LatticePropagator: spin matrix of colour matrices.
TEST_F(PropagatorFile, HasTheIndexOrderOfQdp) {
  HostPropagator propagator(extents);
  propagator.values[propagator.index(1, 2, 1, 3, 0)] = 1;
  write_propagator(folder / "a", propagator);
  const std::string bytes = test::read_text(folder / "a");
  const std::size_t body = bytes.find("scidac-binary-data") + 128;
  EXPECT_EQ(bytes.find("\x3f\xf0", body) - body, 16u * (144 + ((2 * 4 + 3) * 3 + 1) * 3 + 0));
}

// By Grid's ScidacWriter: extents in grid-format alone where the user writes no record of the file, the numbers in the
// order of iSpinMatrix<iColourMatrix>.
TEST_F(PropagatorFile, OfGridIsRead) {
  const HostPropagator propagator = random_propagator();
  std::string body;
  for (std::ptrdiff_t site = 0; site < volume_of(extents); ++site) {
    for (int k = 0; k < 144; ++k) {
      const int sink_spin = k / 36, source_spin = k / 9 % 4, sink_color = k / 3 % 3, source_color = k % 3;
      const auto value = propagator.values[propagator.index(site, sink_spin, sink_color, source_spin, source_color)];
      test::append(body, value.real(), ByteOrder::big);
      test::append(body, value.imag(), ByteOrder::big);
    }
  }
  const auto file = [&](const std::string& datatype, bool of_the_file) {
    const std::string start = "<?xml version=\"1.0\"?>\n";
    std::string bytes;
    if (of_the_file) {
      bytes = test::lime_record("scidac-private-file-xml",
                                start +
                                    "<scidacFile>\n  <version>1</version>\n  <spacetime>4</spacetime>\n  <dims>4 \n2 "
                                    "\n6 \n4</dims>\n  <volfmt>0</volfmt>\n</scidacFile>\n",
                                true);
      bytes += test::lime_record("scidac-file-xml", start + "<emptyUserRecord>\n</emptyUserRecord>\n", false, true);
    }
    bytes += test::lime_record(
        "grid-format",
        start +
            "<FieldMetaData>\n  <nd>4</nd>\n  <dimension>\n    <elem>4</elem>\n    <elem>2</elem>\n    "
            "<elem>6</elem>\n    <elem>4</elem>\n  </dimension>\n</FieldMetaData>\n",
        true);
    bytes += test::lime_record("scidac-record-xml", start + "<emptyUserRecord>\n</emptyUserRecord>\n");
    bytes += test::lime_record(
        "scidac-private-record-xml",
        start + "<scidacRecord>\n  <version>1</version>\n  <date></date>\n  <recordtype>0</recordtype>\n  <datatype>" +
            datatype +
            "</datatype>\n  <precision>D</precision>\n  <colors>3</colors>\n  <spins>4</spins>\n  "
            "<typesize>2304</typesize>\n  <datacount>1</datacount>\n</scidacRecord>\n");
    bytes += test::lime_record("ildg-binary-data", body);
    bytes += test::lime_record("FieldNormMetaData", start + "<FieldNormMetaData>\n</FieldNormMetaData>\n");
    test::write_bytes(folder / "a",
                      bytes + test::lime_record("scidac-checksum", test::scidac_checksum(body, 2304), false, true));
    return read_propagator(folder / "a");
  };
  for (const bool of_the_file : {false, true}) {
    const HostPropagatorFile read = file("GRID_D_SpinMatrix4_ColourMatrix3", of_the_file);
    EXPECT_EQ(read.propagator.extents, extents);
    EXPECT_EQ(read.propagator.values, propagator.values);
    EXPECT_TRUE(read.checksum.has_value());
  }
  for (const std::string other : {"GRID_F_SpinMatrix4_ColourMatrix3", "GRID_D_SpinVector4_ColourVector3"}) {
    KAON_EXPECT_ERROR(file(other, false), "holds " + other);
  }
}

TEST_F(PropagatorFile, WithItsChecksumBeforeTheBodyIsVerified) {
  const HostPropagator propagator = random_propagator();
  write_propagator(folder / "a", propagator);
  const std::string bytes = test::with_checksum_first(test::read_text(folder / "a"));
  test::write_bytes(folder / "b", bytes);
  EXPECT_EQ(read_propagator(folder / "b").propagator.values, propagator.values);
  EXPECT_TRUE(read_propagator(folder / "b").notes.empty());
  test::write_bytes(folder / "b", test::damaged(bytes, bytes.size() - 100));
  KAON_EXPECT_ERROR(read_propagator(folder / "b"), "wrong checksum: the file states suma ");
}

TEST_F(PropagatorFile, HasAsManySpinsAndColoursAsItStates) {
  for (const auto& [spins, colors] : {std::pair(1, 3), std::pair(2, 3), std::pair(1, 1), std::pair(4, 2)}) {
    const HostPropagator propagator = random_propagator(spins, colors);
    write_propagator(folder / "a", propagator);
    const HostPropagatorFile read = read_propagator(folder / "a");
    EXPECT_EQ(read.propagator.spins, spins);
    EXPECT_EQ(read.propagator.colors, colors);
    EXPECT_EQ(read.propagator.values, propagator.values);
  }
}

TEST_F(PropagatorFile, IsOfADiracParticleWithoutSpinsAndColoursStated) {
  const HostPropagator propagator = random_propagator();
  write_propagator(folder / "a", propagator);
  std::string bytes = test::read_text(folder / "a");
  for (const std::string stated : {"<colors>3</colors>", "<spins>4</spins>"}) {
    bytes = test::altered(bytes, stated, std::string(stated.size(), ' '));
  }
  test::write_bytes(folder / "b", bytes);
  EXPECT_EQ(read_propagator(folder / "b").propagator.values, propagator.values);
}

TEST_F(PropagatorFile, IsRefusedWhenDamaged) {
  write_propagator(folder / "a", random_propagator(), {.bits = 32});
  const std::string bytes = test::read_text(folder / "a");
  const auto message = [&](const std::string& content, const PropagatorReadOptions& options = {}) {
    test::write_bytes(folder / "b", content);
    return error_text([&] { read_propagator(folder / "b", options); });
  };
  expect_text(message(bytes.substr(0, bytes.size() / 2)), "is truncated");
  expect_text(message(bytes + "x"), "the 1 bytes after the record scidac-checksum are no LIME record");
  expect_text(message(test::damaged(bytes, bytes.size() / 2)), "wrong checksum: the file states suma ");
  expect_text(message(bytes, {.extents = Coordinates{4, 4, 4, 4}}),
              "has extents 4x2x6x4 (x, y, z, t), but the lattice has 4x4x4x4");
  expect_text(message("no propagator"), "is no LIME file");
  expect_text(message(test::altered(bytes, "<datatype>Lattice", "<datatype>Strange")),
              "holds Strange (1 of 1152 bytes at each site, precision F), not a propagator");
}

TEST_F(PropagatorFile, IsNotWrittenWithNumbersThatCannotBeStored) {
  HostPropagator propagator = random_propagator();
  propagator.values[17] = std::numeric_limits<double>::quiet_NaN();
  KAON_EXPECT_ERROR(write_propagator(folder / "a", propagator), "1 of its 27648 numbers are NaN");
  propagator.values[17] = 1e100;
  KAON_EXPECT_ERROR(write_propagator(folder / "a", propagator, {.bits = 32}), "too large for 32 bits");
  EXPECT_EQ(folder.entries(), 0);
  EXPECT_NO_THROW(write_propagator(folder / "a", propagator));
  KAON_EXPECT_ERROR(write_propagator(folder / "missing/a", random_propagator()), "no file can be made");
  KAON_EXPECT_ERROR(write_propagator(folder / "b", random_propagator(), {.info = "a\x01"}),
                    "text with control characters");
  EXPECT_EQ(folder.entries(), 1);
}

TEST_F(PropagatorFile, MayHaveLongDirections) {
  HostPropagator propagator({4099, 1, 2, 1}, 1, 3);
  propagator.values[5] = 1.0;
  write_propagator(folder / "a", propagator);
  EXPECT_EQ(read_propagator(folder / "a").propagator.values, propagator.values);
}

template <class T>
class PropagatorField : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(PropagatorField, Precisions);

TYPED_TEST(PropagatorField, ComesBackFromAFile) {
  using T = TypeParam;
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  const HostPropagator host = random_propagator();
  const SpinorField<T> field = to_spinor_field<T>(lattice, host);
  const auto expected = sizeof(T) == 4 ? test::rounded_to_float(host.values) : host.values;

  // Right-hand side 3 s + c is the column of source spin s and source colour c.
  const auto column = field.to_host(3 * 2 + 1);
  EXPECT_EQ(column[5 * 12 + 3 * 1 + 2], expected[host.index(5, 1, 2, 2, 1)]);

  EXPECT_EQ(to_host_propagator(field).values, expected);
  write_propagator(folder / "a", field);
  EXPECT_EQ(to_host_propagator(read_propagator<T>(lattice, folder / "a")).values, expected);
}

TYPED_TEST(PropagatorField, OfStaggeredFermionsComesBackFromAFile) {
  using T = TypeParam;
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  const HostPropagator host = random_propagator(1);
  const SpinorField<T> field = to_spinor_field<T>(lattice, host);
  EXPECT_EQ(field.parameters(), (SpinorParameters{.spins = 1, .right_hand_sides = 3}));
  write_propagator(folder / "a", field);
  const HostPropagator read = to_host_propagator(read_propagator<T>(lattice, folder / "a"));
  EXPECT_EQ(read.spins, 1);
  EXPECT_EQ(read.values, sizeof(T) == 4 ? test::rounded_to_float(host.values) : host.values);
}

TEST(PropagatorFields, AreMadeOfAllNumbersOfASite) {
  const Lattice lattice({.extents = extents});
  for (const int more : {-1, 1}) {
    HostPropagator host = random_propagator();
    host.values.resize(host.values.size() + static_cast<std::size_t>(more));
    KAON_EXPECT_ERROR(to_spinor_field<double>(lattice, host),
                      std::to_string(27648 + more) + " numbers are not a propagator on 4x2x6x4 (27648)");
  }
}

TEST(PropagatorFields, HoldAllNumbersOfTheirFile) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  HostPropagator host = random_propagator();
  host.values[17] = 1e200;
  write_propagator(folder / "a", host);
  EXPECT_EQ(to_host_propagator(read_propagator<double>(lattice, folder / "a")).values, host.values);
  const std::string text = "1 of its 27648 numbers are too large for single precision";
  KAON_EXPECT_ERROR(read_propagator<float>(lattice, folder / "a"), text);
  KAON_EXPECT_ERROR(read_propagator<half>(lattice, folder / "a"), text);
}

TEST(HalfPropagatorField, IsRoundedToSixteenBits) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  for (const int spins : {4, 1}) {
    const HostPropagator host = random_propagator(spins);
    const SpinorField<half> field = to_spinor_field<half>(lattice, host);
    write_propagator(folder / "a", field);
    const HostPropagator read = to_host_propagator(read_propagator<half>(lattice, folder / "a"));
    EXPECT_EQ(read.values, to_host_propagator(field).values);
    constexpr double largest = 6.0;  // of normal numbers
    for (std::size_t k = 0; k < host.values.size(); ++k) {
      ASSERT_LE(std::abs(read.values[k] - host.values[k]), largest / 32767.0);
    }
  }
}

TYPED_TEST(PropagatorField, HasARightHandSideForEachSpinAndColour) {
  const test::TemporaryFolder folder;
  const SpinorField<TypeParam> field(Lattice({.extents = extents}), {.right_hand_sides = 3});
  KAON_EXPECT_ERROR(write_propagator(folder / "a", field),
                    "both parities, one slice and 12 right-hand sides, not 2, 1 and 3");
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
