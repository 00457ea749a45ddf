// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/lime.hpp"
#include "tests/io/column_files.hpp"
#include "tests/io/files.hpp"

#include <gtest/gtest.h>

#include <array>

// Propagators in files with a field for each source spin and colour: USQCD's pairs and scalar sources, tmLQCD's files;
// and Grid's in one field.

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::expect_text;
using DiracColumns = test::FileTest;
using TmlqcdFiles = test::FileTest;

const Coordinates extents{4, 2, 6, 4};
using SpinMatrix = std::array<std::array<std::complex<double>, 4>, 4>;

HostPropagator point_source() {
  HostPropagator source(extents);
  for (int spin = 0; spin < 4; ++spin) {
    for (int color = 0; color < 3; ++color) source.values[source.index(5, spin, color, spin, color)] = 0.5;
  }
  return source;
}

/// gamma5 S gamma5 with gamma5 = diag(1, 1, -1, -1).
HostPropagator between_gamma5(HostPropagator propagator) {
  for (std::size_t k = 0; k < propagator.values.size(); ++k) {
    const std::size_t sink = k % 144 / 36, source = k % 12 / 3;
    if ((sink < 2) != (source < 2)) propagator.values[k] = -propagator.values[k];
  }
  return propagator;
}

TEST_F(DiracColumns, GiveTheSameNumbersWithAnySourcesAndProjectors) {
  const HostPropagator propagator = test::random_propagator(extents);
  for (const PropagatorFormat format : {PropagatorFormat::usqcd_pairs, PropagatorFormat::usqcd_scalar_source}) {
    for (const int bits : {32, 64}) {
      for (const bool projectors : {false, true}) {
        write_propagator(folder / "a", propagator, point_source(),
                         {.bits = bits, .info = "mass < 0.1", .format = format, .milc_projectors = projectors});
        const HostPropagatorFile read = read_propagator(folder / "a", {.milc_projectors = projectors});
        EXPECT_EQ(read.bits, bits);
        EXPECT_EQ(read.info, "mass < 0.1");
        EXPECT_TRUE(read.notes.empty());
        EXPECT_EQ(read.propagator.values, bits == 32 ? test::rounded_to_float(propagator.values) : propagator.values);
        if (bits == 64 && projectors) {
          EXPECT_EQ(read_propagator(folder / "a").propagator.values, between_gamma5(propagator).values);
        }
      }
    }
  }
}

TEST_F(DiracColumns, HaveTheRecordsOfUsqcd) {
  write_propagator(folder / "pairs", test::random_propagator(extents), point_source());
  write_propagator(folder / "scalar", test::random_propagator(extents), point_source(),
                   {.format = PropagatorFormat::usqcd_scalar_source});
  const std::string pairs = test::read_text(folder / "pairs"), scalar = test::read_text(folder / "scalar");
  expect_text(pairs, "<usqcdPropFile>\n<version>1.0</version>\n<type>USQCD_DiracFermion_Source_Sink_Pairs</type>\n");
  expect_text(scalar, "<type>USQCD_DiracFermion_ScalarSource_TwelveSink</type>\n");
  expect_text(scalar, "<datatype>USQCD_D_Complex</datatype>\n<precision>D</precision>\n<typesize>16</typesize>\n");
  std::size_t in_pairs = 0, in_scalar = scalar.find("<usqcdSourceInfo>");
  for (int column = 0; column < 12; ++column) {
    const std::string name = "<usqcdPropInfo>\n<version>1.0</version>\n<spin>" + std::to_string(column / 3) +
                             "</spin>\n<color>" + std::to_string(column % 3) + "</color>\n";
    in_pairs = pairs.find("<datatype>USQCD_D3_DiracFermion</datatype>", in_pairs);
    ASSERT_NE(in_pairs = pairs.find("<usqcdSourceInfo>", in_pairs), pairs.npos);
    ASSERT_NE(in_pairs = pairs.find(name, in_pairs), pairs.npos);
    ASSERT_NE(in_scalar = scalar.find(name, in_scalar), scalar.npos);
  }
}

// MILC reads columns with the colour of the source outside, and ignores what their records state.
TEST_F(DiracColumns, HaveTheOrderOfMilcWithItsProjectors) {
  write_propagator(folder / "a", test::random_propagator(extents), point_source(),
                   {.format = PropagatorFormat::usqcd_pairs, .milc_projectors = true});
  const std::string bytes = test::read_text(folder / "a");
  std::size_t at = 0;
  for (int column = 0; column < 12; ++column) {
    const std::string name = fmt::format(
        "<usqcdPropInfo>\n<version>1.0</version>\n<spin>{}</spin>\n<color>{}</color>\n", column % 4, column / 4);
    ASSERT_NE(at = bytes.find(name, at), bytes.npos) << column;
  }
}

// Chroma and MILC have sources on their time slice alone, in hypercubes; others leave them out, and say nothing.
TEST_F(DiracColumns, OfOtherCodesAreRead) {
  const HostPropagator propagator = test::random_propagator(extents);
  for (const std::string datatype : {"USQCD_D3_DiracFermion", "Lattice"}) {
    for (const bool states : {true, false}) {
      for (const bool has_sources : {true, false}) {
        if (!states && has_sources) continue;  // which fields are sources would be unknown
        test::write_bytes(folder / "a", test::dirac_pairs(propagator, datatype, states, has_sources));
        EXPECT_EQ(read_propagator(folder / "a").propagator.values, propagator.values) << datatype << states;
      }
    }
  }
}

TEST_F(DiracColumns, AreRefusedWithTheReason) {
  const HostPropagator propagator = test::random_propagator(extents), staggered = test::random_propagator(extents, 1);
  const PropagatorWriteOptions scalar{.format = PropagatorFormat::usqcd_scalar_source};
  KAON_EXPECT_ERROR(write_propagator(folder / "a", propagator, propagator, scalar),
                    "the format has one complex source, but the sources have other numbers than f(x)");
  KAON_EXPECT_ERROR(write_propagator(folder / "a", staggered, {.milc_projectors = true}),
                    "milc_projectors is for propagators of 4 spins");
  KAON_EXPECT_ERROR(write_propagator(folder / "a", staggered, {.format = PropagatorFormat::grid}),
                    "a propagator of 1 spins and 3 colours, but the format is one of 4 and 3");
  EXPECT_EQ(folder.entries(), 0);
  write_propagator(folder / "a", staggered);
  KAON_EXPECT_ERROR(read_propagator(folder / "a", {.milc_projectors = true}), "is for propagators of 4 spins");
  const std::string bytes = test::dirac_pairs(propagator, "Lattice", true, false);
  const auto refusal = [&](const std::string& from, const std::string& to) {
    test::write_bytes(folder / "b", test::altered(bytes, from, to));
    return test::error_text([&] { read_propagator(folder / "b"); });
  };
  expect_text(refusal("<spin>2", "<spin>7"), "its Dirac fermions state the source spin 7 and colour 0 out of range");
  expect_text(refusal("<spin>2", "<spin>1"), "state the source spin 1 and colour 0 out of range or twice");
  expect_text(refusal("<datatype>Lattice", "<datatype>Another"), "holds 11 Dirac fermions of a propagator");
}

/// Twelve files as tmLQCD writes them.
void write_tmlqcd(const std::filesystem::path& name, const HostPropagator& propagator, int columns_of_file = 1) {
  for (int first = 0; first < 12; first += columns_of_file) {
    std::string bytes;
    for (int k = first; k < first + columns_of_file; ++k) bytes += test::tmlqcd_column(propagator, k);
    test::write_bytes(name.string() + "." + std::to_string(first / 10) + std::to_string(first % 10), bytes);
  }
}

TEST_F(TmlqcdFiles, AreReadByTheirNameInKaonsBasis) {
  const HostPropagator propagator = test::random_propagator(extents);
  // theirs = V^dag S V, with V of psi_DR = V psi_tmLQCD.
  const SpinMatrix v{{{0, 0, 0, -1.0}, {0, 0, 1.0, 0}, {0, 1.0, 0, 0}, {-1.0, 0, 0, 0}}};
  HostPropagator theirs(extents);
  for (std::size_t k = 0; k < propagator.values.size(); ++k) {
    const std::size_t sink = k % 144 / 36, source = k % 12 / 3;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        theirs.values[k] += v[a][sink] * propagator.values[k - 36 * sink - 3 * source + 36 * a + 3 * b] * v[b][source];
      }
    }
  }
  for (const int columns : {1, 3, 12}) {
    const std::string name = folder / ("source.inverted." + std::to_string(columns));
    write_tmlqcd(name, theirs, columns);
    for (const std::string& path : {name, name + ".00"}) {
      const HostPropagatorFile read = read_propagator(path, {.extents = extents});
      EXPECT_EQ(read.propagator.values, propagator.values);
      EXPECT_TRUE(read.notes.empty());
    }
  }
}

// V takes tmLQCD's gamma matrices to those of the DeGrand-Rossi basis.
TEST_F(TmlqcdFiles, HaveTheGammaMatricesOfTheirBasis) {
  const std::complex<double> i(0.0, 1.0);
  const std::array<std::array<std::complex<double>, 4>, 3> pauli{{{0, 1, 1, 0}, {0, -i, i, 0}, {1, 0, 0, -1}}};
  const auto blocks = [](std::complex<double> upper, std::complex<double> lower, const auto& s) {
    SpinMatrix g{};
    for (std::size_t k = 0; k < 4; ++k) {
      g[k / 2][2 + k % 2] = upper * s[k];
      g[2 + k / 2][k % 2] = lower * s[k];
    }
    return g;
  };
  const std::array<std::complex<double>, 4> one{1, 0, 0, 1};
  const std::array<SpinMatrix, 4> ours{blocks(i, -i, pauli[0]), blocks(-i, i, pauli[1]), blocks(i, -i, pauli[2]),
                                       blocks(1, 1, one)};
  const std::array<SpinMatrix, 4> theirs{blocks(-i, i, pauli[0]), blocks(-i, i, pauli[1]), blocks(-i, i, pauli[2]),
                                         blocks(-1, -1, one)};
  const std::array<double, 4> v{-1, 1, 1, -1};  // V_(a, 3 - a)
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(ours[mu][a][b] * 1.0, v[a] * theirs[mu][3 - a][3 - b] * v[b]);
    }
  }
}

TEST_F(TmlqcdFiles, AreRefusedWithTheReason) {
  const HostPropagator propagator = test::random_propagator(extents);
  const std::string name = folder / "a";
  write_tmlqcd(name, propagator);
  std::filesystem::remove(name + ".07");
  KAON_EXPECT_ERROR(read_propagator(name), "a.07");
  test::write_bytes(name + ".07", test::tmlqcd_column(test::random_propagator({4, 2, 6, 8}), 7));
  KAON_EXPECT_ERROR(read_propagator(name), "a.07 has other extents than ");
  const std::string column = test::tmlqcd_column(propagator, 7);
  test::write_bytes(name + ".07", test::damaged(column, column.size() - 500));
  KAON_EXPECT_ERROR(read_propagator(name), "a.07 is refused: wrong checksum");
  write_propagator(name + ".07", propagator);
  KAON_EXPECT_ERROR(read_propagator(name), "a.07 holds no column of a propagator of tmLQCD");
}

TEST(GridPropagator, HasTheRecordsThatGridReadsInOrder) {
  const test::TemporaryFolder folder;
  const HostPropagator propagator = test::random_propagator(extents);
  for (const int bits : {32, 64}) {
    write_propagator(folder / "a", propagator, {.bits = bits, .format = PropagatorFormat::grid});
    std::vector<std::string> types;
    const InputFile file(folder / "a");
    for (const LimeRecord& record : lime_records(file)) types.push_back(record.type);
    EXPECT_EQ(types, (std::vector<std::string>{"scidac-private-file-xml", "scidac-file-xml", "grid-format",
                                               "scidac-record-xml", "scidac-private-record-xml", "ildg-binary-data",
                                               "scidac-checksum"}));
    EXPECT_EQ(read_propagator(folder / "a").propagator.values,
              bits == 32 ? test::rounded_to_float(propagator.values) : propagator.values);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
