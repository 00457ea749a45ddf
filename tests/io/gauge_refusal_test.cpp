// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/core/message.hpp>
#include <kaon/io/gauge_file.hpp>

#include <fmt/format.h>

#include <limits>
#include <tuple>

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;

const Coordinates extents{4, 2, 6, 4};
constexpr std::size_t sites = 192;

/// Every format that kaon writes.
const std::vector<WriteOptions> written{{.format = GaugeFormat::nersc},
                                        {.format = GaugeFormat::nersc, .bits = 32, .rows = 2},
                                        {.format = GaugeFormat::ildg},
                                        {.format = GaugeFormat::scidac, .bits = 32}};

/// A valid file, its bytes, and what reading says of altered ones.
class RefusedGaugeFile : public ::testing::Test {
 protected:
  std::string valid(const WriteOptions& options = {.format = GaugeFormat::nersc}) {
    write_links(folder_ / "valid", field_, options);
    return test::read_text(folder_ / "valid");
  }

  std::string message(const std::string& bytes, const ReadOptions& options = {}) {
    test::write_bytes(folder_ / "altered", bytes);
    const std::string text = error_text([&] { read_links(folder_ / "altered", options); });
    expect_text(text, folder_ / "altered");
    return text;
  }

  /// The valid NERSC archive with a line of its header changed.
  std::string with_line(const std::string& key, const std::string& value) {
    std::string bytes = valid();
    const auto from = bytes.find(key + " = ");
    EXPECT_NE(from, bytes.npos);
    return bytes.replace(from, bytes.find('\n', from) - from, key + " = " + value);
  }

  test::TemporaryFolder folder_;
  HostLinks field_ = test::random_links(extents);
};

TEST_F(RefusedGaugeFile, IsTruncated) {
  for (const WriteOptions& options : written) {
    const std::string bytes = valid(options);
    for (const std::size_t size : {bytes.size() - 8, bytes.size() / 2, std::size_t{700}}) {
      expect_text(message(bytes.substr(0, size)), "is truncated");
    }
  }
  const std::string bytes = valid();
  expect_text(message(bytes.substr(0, bytes.size() - 1)),
              "it has " + std::to_string(bytes.size() - 1) + " bytes and should have " + std::to_string(bytes.size()));
}

TEST_F(RefusedGaugeFile, IsTooLong) {
  for (const WriteOptions& options : written) expect_text(message(valid(options) + "x"), "is too long");
}

TEST_F(RefusedGaugeFile, HasAWrongChecksum) {
  for (const WriteOptions& options : written) {
    std::string bytes = valid(options);
    bytes[bytes.size() / 2] ^= 1;  // the last bits of a number: nothing else notices
    const std::string text = message(bytes);
    expect_text(text, "wrong checksum: the file states ");
    expect_text(text, ", its body gives ");
  }
}

TEST_F(RefusedGaugeFile, HasARecordThatIsNoText) {
  const std::string bytes = valid({.format = GaugeFormat::ildg});
  for (const std::string type :
       {"scidac-private-file-xml", "scidac-private-record-xml", "scidac-checksum", "ildg-format"}) {
    std::string damaged = bytes;
    damaged[damaged.find(type) + 128 + 50] = '\x01';  // behind the name, which has 128 bytes
    expect_text(message(damaged), "is damaged: its record " + type + " is no text");
  }
}

TEST_F(RefusedGaugeFile, StatesAnotherPlaquetteOrLinkTrace) {
  const std::string accepts =
      "the checksum is right: where the statement is known to be wrong, ignore_stated_plaquette";
  for (const auto& [key, value, what] :
       {std::tuple("PLAQUETTE", "0.5937", "plaquette"), std::tuple("LINK_TRACE", "0.25", "link trace")}) {
    const std::string wrong =
        fmt::format("wrong {}: the file states {} ({} in its NERSC header), its links give ", what, value, key);
    const std::string bytes = with_line(key, value);
    expect_text(message(bytes), wrong);
    expect_text(message(bytes), accepts);
    std::string told;
    set_message_handler([&](MessageKind, const std::string& text) { told += text; });
    const HostGaugeFile read = read_links(folder_ / "altered", {.ignore_stated_plaquette = true});
    set_message_handler({});
    EXPECT_EQ(read.links.links, field_.links);
    EXPECT_EQ(read.report.plaquette, plaquette(field_));
    ASSERT_EQ(read.report.notes.size(), 1u);
    expect_text(read.report.notes[0], wrong);
    expect_text(read.report.notes[0], "; ignored: the checksum is right");
    EXPECT_EQ(told, (folder_ / "altered") + ": " + read.report.notes[0]);
  }
}

TEST_F(RefusedGaugeFile, StatesAnotherPlaquetteWithoutARightChecksum) {
  const std::string bytes = with_line("PLAQUETTE", "0.5937");
  std::string damaged = bytes;
  damaged[bytes.size() - 100] ^= 1;
  std::string unsummed = bytes;
  unsummed.erase(bytes.find("CHECKSUM"), bytes.find("ENSEMBLE_ID") - bytes.find("CHECKSUM"));
  for (const auto& [altered, reason] :
       {std::pair(damaged, "states no right checksum"), std::pair(unsummed, "states no checksum")}) {
    EXPECT_EQ(message(altered).find("ignore_stated_plaquette"), std::string::npos);
    const std::string text = message(altered, {.ignore_stated_plaquette = true});
    expect_text(text, "wrong plaquette");
    expect_text(text, std::string("ignore_stated_plaquette has no effect: the file ") + reason);
  }
}

TEST_F(RefusedGaugeFile, HasOtherExtentsThanTheLattice) {
  for (const WriteOptions& options : written) {
    expect_text(message(valid(options), {.extents = Coordinates{4, 2, 4, 6}}),
                "has extents 4x2x6x4 (x, y, z, t), but the lattice has 4x2x4x6");
  }
}

TEST_F(RefusedGaugeFile, HasOddOrImpossibleExtents) {
  const std::string reason = "each must be even and at least 2, for at most 2^40 sites";
  expect_text(message(with_line("DIMENSION_3", "7")), "has extents 4x2x7x4 (x, y, z, t): " + reason);
  expect_text(message(with_line("DIMENSION_1", "-4")), reason);
  expect_text(message(with_line("DIMENSION_3", "0")), reason);
  expect_text(message(with_line("DIMENSION_1", "1000000")), "is truncated: it has ");
  for (const std::string extent : {"2147483646", "1073741824"}) {
    std::string bytes = with_line("DIMENSION_1", extent);
    for (const std::string other : {"DIMENSION_2 = 2", "DIMENSION_4 = 4"}) {
      bytes.replace(bytes.find(other), other.size(), other.substr(0, 14) + extent);
    }
    expect_text(message(bytes), reason);
  }
  expect_text(message(with_line("DIMENSION_4", "six")), "DIMENSION_4 = six, which is no number");
}

TEST_F(RefusedGaugeFile, HasLinksThatAreNotUnitary) {
  for (const WriteOptions& options : written) {
    HostLinks other = field_;
    other.link(lexicographic_index({1, 0, 5, 2}, extents), 1)[1] *= 1.01;
    write_links(folder_ / "a", field_, options);
    // The altered number in the place of the valid one, which is found by its bytes.
    std::string bytes = test::read_text(folder_ / "a");
    const auto stored = [&](std::complex<double> z) {
      std::string out(static_cast<std::size_t>(options.bits / 8), '\0');
      store_real(reinterpret_cast<std::byte*>(out.data()), z.real(), options.bits, ByteOrder::big);
      return out;
    };
    const auto place = lexicographic_index({1, 0, 5, 2}, extents);
    const std::string old_bytes = stored(field_.link(place, 1)[1]);
    bytes.replace(bytes.find(old_bytes), old_bytes.size(), stored(other.link(place, 1)[1]));
    const std::string text = message(bytes);
    expect_text(text, "wrong checksum");
    expect_text(text, "1 of 768 links are not in SU(3), the worst in direction y at site (x, y, z, t) = (1, 0, 5, 2)");
  }
}

TEST_F(RefusedGaugeFile, HoldsNaNOrInfinity) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::string bytes = valid();
    store(reinterpret_cast<std::byte*>(&bytes[bytes.size() - 8]), bad, ByteOrder::big);
    expect_text(message(bytes),
                "1 of 768 links hold NaN or infinity, the first in direction t at site (x, y, z, t) = "
                "(3, 1, 5, 3)");
  }
}

TEST_F(RefusedGaugeFile, IsEmptyAbsentUnknownOrNotTheWantedFormat) {
  expect_text(message(""), "it is empty (0 bytes)");
  KAON_EXPECT_ERROR(read_links(folder_ / "absent"), "No such file or directory");
  KAON_EXPECT_ERROR(read_links(folder_.path()), "it is a folder");
  expect_text(message("This is no gauge field at all."),
              "has an unknown format; kaon reads gauge fields as NERSC archive, ILDG or SciDAC (LIME), HDF5 of PyQUDA "
              "and QDP++, "
              "MILC v5, openQCD "
              "and DD-alphaAMG raw");
  expect_text(message("x"), "has an unknown format");
  expect_text(message(valid(), {.format = GaugeFormat::ildg}), "is a file in format NERSC archive, not ILDG (LIME)");
}

TEST_F(RefusedGaugeFile, DoesNotStateItsExtents) {
  std::string bytes = valid({.format = GaugeFormat::ildg});
  const std::size_t start = bytes.find("ildg-binary-data") - 16;
  bytes = bytes.substr(start, 144 + sites * 576);
  expect_text(message(bytes), "does not state its extents");
  expect_text(message(bytes, {.extents = Coordinates{4, 2, 6, 6}}), "is truncated: its record ildg-binary-data has ");
  EXPECT_EQ(read_links(folder_ / "altered", {.extents = extents}).links.links, field_.links);
}

/// Unit links times 1 + stretch: |U U^dag - 1| is 2 stretch, |det U - 1| is 3 stretch, both are 4 stretch where the
/// third row is made of the other two.
HostLinks stretched_links(double stretch) {
  HostLinks field(extents);
  for (std::size_t at = 0; at < field.links.size(); at += 9) {
    for (const std::size_t k : {at, at + 4, at + 8}) field.links[k] = 1.0 + stretch;
  }
  return field;
}

// A file that is written can be read, with the plaquette that it states.
TEST_F(RefusedGaugeFile, IsNotWritten) {
  for (const double stretch : {3e-7, 7e-7, 3e-6, 6e-6}) {
    const HostLinks field = stretched_links(stretch);
    for (const int rows : {2, 3}) {
      for (const int bits : {32, 64}) {
        const WriteOptions options{.format = GaugeFormat::nersc, .bits = bits, .rows = rows};
        if ((rows == 2 ? 4.0 : 3.0) * stretch < (bits == 32 ? 1e-5 : 2e-6)) {
          write_links(folder_ / "field", field, options);
          EXPECT_NEAR(read_links(folder_ / "field").report.unitarity_deviation, (rows == 2 ? 4.0 : 2.0) * stretch,
                      4e-7);
        } else {
          KAON_EXPECT_ERROR(write_links(folder_ / "refused", field, options), "are not in SU(3)");
        }
      }
    }
  }
}

TEST_F(RefusedGaugeFile, CannotBeWritten) {
  const test::TemporaryFolder empty;
  const auto refused = [&](const HostLinks& field, const WriteOptions& options, const std::string& name = "a") {
    const std::string text = error_text([&] { write_links(empty / name, field, options); });
    EXPECT_EQ(empty.entries(), 0);
    return text;
  };
  expect_text(refused(field_, {}, "missing/a"),
              "no file can be made in its folder (" + (empty / "missing") + " does not exist)");
  expect_text(refused(field_, {.format = GaugeFormat::milc}), "as MILC v5: kaon writes NERSC archive, ILDG (LIME)");
  expect_text(refused(field_, {.bits = 16}), "with 16 bits: use 32 or 64");
  expect_text(refused(field_, {.rows = 2}), "with 2 rows a link");
  HostLinks bad = field_;
  bad.link(5, 2)[4] = std::numeric_limits<double>::quiet_NaN();
  expect_text(refused(bad, {}), "refusing to write");
  expect_text(refused(bad, {}), "1 of 768 links hold NaN or infinity, the first in direction z");
  bad = field_;
  bad.links.pop_back();
  expect_text(refused(bad, {}), "6911 numbers are not the links of a 4x2x6x4 lattice (6912)");
  // Readers would take such a record for damaged, and with it all that it states.
  for (const std::string& text : {std::string("a\0b", 3), std::string("a\x01b")}) {
    expect_text(refused(field_, {.info = text}), "text with control characters");
    expect_text(refused(field_, {.format = GaugeFormat::scidac, .info = text}), "text with control characters");
    expect_text(refused(field_, {.logical_file_name = text}), "text with control characters");
    expect_text(refused(field_, {.format = GaugeFormat::nersc, .ensemble_label = text}), "control characters");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
