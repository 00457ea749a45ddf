// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"

#include <kaon/core/random.hpp>
#include <kaon/io/spinors.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace kaon::io {
namespace {

using test::error_text;
using test::expect_text;

const Coordinates extents{4, 2, 6, 4};

SpinorField<float> random_spinors(const Lattice& lattice, const SpinorParameters& shape = {.right_hand_sides = 3}) {
  SpinorField<float> spinors(lattice, shape);
  set_gaussian(spinors, {.seed = 9});
  return spinors;
}

TEST(SpinorFile, GivesTheSameNumbersBitForBit) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents}), single({.extents = extents, .lanes = Lanes::single});
  for (const auto& [spins, colors, count] : {std::tuple(4, 3, 5), std::tuple(1, 3, 1), std::tuple(2, 4, 2)}) {
    const SpinorField<float> spinors =
        random_spinors(lattice, {.spins = spins, .colors = colors, .right_hand_sides = count});
    write_spinors(folder / "a", spinors, {.plaquette = 0.1 + 0.2, .info = "a < b & c"});
    for (const Lattice& own : {lattice, single}) {
      const SpinorFile read = read_spinors(own, folder / "a");
      EXPECT_EQ(read.info.plaquette, 0.1 + 0.2);
      EXPECT_EQ(read.info.info, "a < b & c");
      EXPECT_EQ(read.spinors.parameters(), spinors.parameters());
      for (int k = 0; k < count; ++k) EXPECT_EQ(read.spinors.to_host(k), spinors.to_host(k)) << k;
    }
  }
  write_spinors(folder / "b", random_spinors(lattice));
  EXPECT_FALSE(read_spinors(lattice, folder / "b").info.plaquette.has_value());
}

// The order of QDP++'s LatticeFermion: a spin vector of colour vectors.
TEST(SpinorFile, HasTheIndexOrderOfQdp) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  SpinorField<float> spinor(lattice);
  auto values = spinor.to_host();
  values[(5 * 4 + 2) * 3 + 1] = {0.0, 1.0};
  spinor.from_host(values);
  write_spinors(folder / "a", spinor);
  const std::string bytes = test::read_bytes(folder / "a");
  const std::size_t body = bytes.find("scidac-binary-data") + 128;
  EXPECT_EQ(bytes.find("\x3f\x80", body) - body, 8u * ((5 * 4 + 2) * 3 + 1) + 4u);
}

TEST(SpinorFile, IsRefusedWhenDamagedOrOfAnotherLattice) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  write_spinors(folder / "a", random_spinors(lattice));
  const std::string bytes = test::read_bytes(folder / "a");
  const auto message = [&](const std::string& content, const Lattice& own) {
    test::write_bytes(folder / "b", content);
    return error_text([&] { read_spinors(own, folder / "b"); });
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string altered = bytes;
    return altered.replace(altered.find(from), from.size(), to);
  };
  expect_text(message(bytes, Lattice({.extents = {4, 4, 4, 4}})),
              "has extents 4x2x6x4 (x, y, z, t), but the lattice has 4x4x4x4");
  expect_text(message(bytes.substr(0, bytes.size() / 2), lattice), "is truncated");
  // Whole messages are missing at the end.
  const std::string start = "scidac-private-record-xml";
  constexpr std::size_t before_type = 16;
  expect_text(message(bytes.substr(0, bytes.rfind(start) - before_type), lattice), "it states 3 spinors and has 2");
  std::string altered = bytes;
  altered[bytes.size() / 2] ^= 1;
  expect_text(message(altered, lattice), "wrong checksum: the file states suma ");
  expect_text(message("no spinors", lattice), "is no LIME file");
  expect_text(message(replaced("<datatype>Lattice", "<datatype>Strange"), lattice), "holds Strange");
  expect_text(message(replaced("<spins>4", "<spins>2"), lattice), "not spinors in 32 bits");
  expect_text(message(replaced("<precision>F", "<precision>D"), lattice), "precision D");
  expect_text(error_text([&] { read_spinors(lattice, folder / "absent"); }), "absent");
  EXPECT_NO_THROW(read_spinors(lattice, folder / "a"));
}

TEST(SpinorFile, IsNotWrittenWithNumbersThatCannotBeStored) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  SpinorField<float> spinors = random_spinors(lattice);
  auto values = spinors.to_host(2);
  values[17] = std::numeric_limits<double>::quiet_NaN();
  spinors.from_host(values, 2);
  expect_text(error_text([&] { write_spinors(folder / "a", spinors); }), "1 of its 2304 numbers are NaN");
  EXPECT_EQ(folder.count(), 0);
  const SpinorField<float> even(lattice, {.subset = Subset::even});
  expect_text(error_text([&] { write_spinors(folder / "a", even); }), "on one parity");
  EXPECT_EQ(folder.count(), 0);
}

}  // namespace
}  // namespace kaon::io
