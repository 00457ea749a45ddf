// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "tests/io/files.hpp"
#include "tests/io/foreign_files.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/io/propagator_file.hpp>
#include <kaon/io/spinors.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;

const Coordinates extents{4, 2, 6, 4};

struct OnLattice : test::FileTest {
  const Lattice lattice{{.extents = extents}};
};
using NearNullFile = OnLattice;
using EigenvectorFiles = OnLattice;
using MilcEigenvectors = OnLattice;

SpinorField<float> random_spinors(const Lattice& lattice, const SpinorParameters& shape = {.right_hand_sides = 3}) {
  SpinorField<float> spinors(lattice, shape);
  set_gaussian(spinors, {.seed = 9});
  return spinors;
}

TEST_F(NearNullFile, GivesTheSameNumbersBitForBit) {
  const Lattice single({.extents = extents, .lanes = Lanes::single});
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
TEST_F(NearNullFile, HasTheIndexOrderOfQdp) {
  SpinorField<float> spinor(lattice);
  auto values = spinor.to_host();
  values[(5 * 4 + 2) * 3 + 1] = {0.0, 1.0};
  spinor.from_host(values);
  write_spinors(folder / "a", spinor);
  const std::string bytes = test::read_text(folder / "a");
  const std::size_t body = bytes.find("scidac-binary-data") + 128;
  EXPECT_EQ(bytes.find("\x3f\x80", body) - body, 8u * ((5 * 4 + 2) * 3 + 1) + 4u);
}

TEST_F(NearNullFile, IsRefusedWhenDamagedOrOfAnotherLattice) {
  write_spinors(folder / "a", random_spinors(lattice));
  const std::string bytes = test::read_text(folder / "a");
  const auto message = [&](const std::string& content, const Lattice& own) {
    test::write_bytes(folder / "b", content);
    return error_text([&] { read_spinors(own, folder / "b"); });
  };
  const auto altered = [&](const std::string& from, const std::string& to) {
    return message(test::altered(bytes, from, to), lattice);
  };
  expect_text(message(bytes, Lattice({.extents = {4, 4, 4, 4}})),
              "has extents 4x2x6x4 (x, y, z, t), but the lattice has 4x4x4x4");
  expect_text(message(bytes.substr(0, bytes.size() / 2), lattice), "is truncated");
  // Whole messages are missing at the end.
  const std::string start = "scidac-private-record-xml";
  constexpr std::size_t before_type = 16;
  expect_text(message(bytes.substr(0, bytes.rfind(start) - before_type), lattice), "it states 3 spinors and has 2");
  expect_text(message(test::damaged(bytes, bytes.size() / 2), lattice), "wrong checksum: the file states suma ");
  expect_text(message("no spinors", lattice), "is no LIME file");
  expect_text(altered("<datatype>Lattice", "<datatype>Strange"), "holds Strange");
  expect_text(altered("<spins>4", "<spins>2"), "not spinors in 32 bits");
  expect_text(altered("<precision>F", "<precision>D"), "precision D");
  KAON_EXPECT_ERROR(read_spinors(lattice, folder / "absent"), "absent");
  EXPECT_NO_THROW(read_spinors(lattice, folder / "a"));
}

TEST_F(NearNullFile, WithAChecksumBeforeItsBodyIsVerified) {
  const SpinorField<float> spinors = random_spinors(lattice);
  write_spinors(folder / "a", spinors);
  const std::string bytes = test::with_checksum_first(test::read_text(folder / "a"));
  test::write_bytes(folder / "b", bytes);
  EXPECT_EQ(read_spinors(lattice, folder / "b").spinors.to_host(2), spinors.to_host(2));
  test::write_bytes(folder / "b", test::damaged(bytes, bytes.size() - 100));
  KAON_EXPECT_ERROR(read_spinors(lattice, folder / "b"), "wrong checksum: the file states suma ");
}

TEST_F(NearNullFile, IsNotWrittenWithNumbersThatCannotBeStored) {
  SpinorField<float> spinors = random_spinors(lattice);
  auto values = spinors.to_host(2);
  values[17] = std::numeric_limits<double>::quiet_NaN();
  spinors.from_host(values, 2);
  KAON_EXPECT_ERROR(write_spinors(folder / "a", spinors), "1 of its 2304 numbers are NaN");
  EXPECT_EQ(folder.entries(), 0);
  const SpinorField<float> even(lattice, {.subset = Subset::even});
  KAON_EXPECT_ERROR(write_spinors(folder / "a", even), "on one parity");
  EXPECT_EQ(folder.entries(), 0);
}

template <class T>
std::vector<SpinorField<T>> random_fields(const Lattice& lattice, const SpinorParameters& shape, int count) {
  std::vector<SpinorField<T>> fields;
  for (int k = 0; k < count; ++k) {
    set_gaussian(fields.emplace_back(lattice, shape), {.seed = 7, .stream = static_cast<std::uint32_t>(k)});
  }
  return fields;
}

TEST_F(EigenvectorFiles, HaveNumbersThatAreWholeWords) {
  write_spinor_fields<double>(folder / "a", random_fields<double>(lattice, {.spins = 1}, 2),
                              {.plaquette = 0.25, .eigenvalues = {0.5, 0.75}, .residuals = {1e-9, 1e-8}});
  const std::string bytes = test::read_text(folder / "a");
  const auto read = [&](const std::string& from, const std::string& to) {
    // The length of the record does not change: blanks after the XML replace the omitted text.
    std::string altered = test::altered(bytes, from, to);
    const std::size_t end = altered.find("</kaonSpinors>") + std::string("</kaonSpinors>").size();
    if (from.size() > to.size()) altered.insert(end, from.size() - to.size(), ' ');
    EXPECT_EQ(altered.size(), bytes.size());
    test::write_bytes(folder / "b", altered);
    return read_spinor_fields<double>(lattice, folder / "b").info;
  };
  const std::string values = "0.50000000000000000 0.75000000000000000", plaquette = "<plaq>0.25000000000000000";
  EXPECT_EQ(read(values, "0.5\n.75").eigenvalues, (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(read(values, "\t.5\r\n\t.7").eigenvalues, (std::vector<double>{0.5, 0.7}));
  EXPECT_EQ(read(plaquette, "<plaq>+.25").plaquette, 0.25);
  EXPECT_EQ(read(plaquette, "<plaq>").plaquette, std::nullopt);
  KAON_EXPECT_ERROR(read(values, "0.5 0.7x"), "<eigenvalues> in its record scidac-file-xml holds '0.7x'");
  KAON_EXPECT_ERROR(read(values, "0.5,0.75"), "holds '0.5,0.75', which is no finite number");
  KAON_EXPECT_ERROR(read(plaquette, "<plaq>0.2x"), "<plaq> in its record scidac-file-xml holds '0.2x'");
  KAON_EXPECT_ERROR(read("<count>2<", "<count>x<"), "<count> in its record scidac-file-xml is 'x'");
}

template <class T>
void expect_round_trips() {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents}), single({.extents = extents, .lanes = Lanes::single});
  const SpinorFileInfo info{
      .plaquette = 0.3, .info = "<A>", .eigenvalues = {-0.1 - 0.2, 1e-300, 7.0}, .residuals = {1e-11, 0.0, 1.0 / 3.0}};
  for (const Subset sites : {Subset::even, Subset::odd, Subset::full}) {
    for (const int spins : {1, 4}) {
      const std::vector<SpinorField<T>> fields = random_fields<T>(lattice, {.spins = spins, .subset = sites}, 3);
      for (const bool quda : {false, true}) {
        SCOPED_TRACE(testing::Message() << "sites " << static_cast<int>(sites) << ", " << spins << " spins, one record "
                                        << quda);
        write_spinor_fields<T>(folder / "a", fields, info, {.bits = 64, .quda = quda});
        for (const Lattice& own : {lattice, single}) {
          const SpinorFields<T> read = read_spinor_fields<T>(own, folder / "a", sites);
          ASSERT_EQ(read.fields.size(), 3u);
          EXPECT_EQ(read.bits, 64);
          EXPECT_EQ(read.quda, quda);
          EXPECT_EQ(read.info.plaquette, info.plaquette);
          EXPECT_EQ(read.info.info, info.info);
          EXPECT_EQ(read.info.eigenvalues, info.eigenvalues);
          EXPECT_EQ(read.info.residuals, info.residuals);
          for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(read.fields[k].parameters(), fields[k].parameters());
            EXPECT_EQ(read.fields[k].to_host(), fields[k].to_host()) << k;
          }
        }
      }
      write_spinor_fields<T>(folder / "b", fields, {}, {.bits = 32});
      const SpinorFields<T> rounded = read_spinor_fields<T>(lattice, folder / "b", sites);
      EXPECT_EQ(rounded.bits, 32);
      EXPECT_TRUE(rounded.info.eigenvalues.empty() && rounded.info.residuals.empty() && !rounded.info.plaquette);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto exact = fields[k].to_host(), stored = rounded.fields[k].to_host();
        for (std::size_t i = 0; i < exact.size(); ++i) {
          EXPECT_EQ(stored[i].real(), static_cast<float>(exact[i].real()));
          EXPECT_EQ(stored[i].imag(), static_cast<float>(exact[i].imag()));
        }
      }
    }
  }
}

TEST_F(EigenvectorFiles, InDoubleGiveTheSameNumbers) { expect_round_trips<double>(); }
TEST_F(EigenvectorFiles, InSingleGiveTheSameNumbers) { expect_round_trips<float>(); }

// A record for each in 32 bits is the file of near-null vectors.
TEST_F(EigenvectorFiles, AreFilesOfSpinors) {
  const SpinorField<float> spinors = random_spinors(lattice);
  write_spinors(folder / "a", spinors, {.plaquette = 0.5});
  const SpinorFields<double> read = read_spinor_fields<double>(lattice, folder / "a");
  ASSERT_EQ(read.fields.size(), 3u);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(read.fields[static_cast<std::size_t>(k)].to_host(), spinors.to_host(k));
  write_spinor_fields<double>(folder / "b", read.fields, {}, {.bits = 32});
  const SpinorFile back = read_spinors(lattice, folder / "b");
  for (int k = 0; k < 3; ++k) EXPECT_EQ(back.spinors.to_host(k), spinors.to_host(k));
  write_spinor_fields<double>(folder / "b", read.fields);
  KAON_EXPECT_ERROR(read_spinors(lattice, folder / "b"), "not spinors in 32 bits");
}

// QUDA's VectorIO: its datatype, all vectors of a site in sequence, no numbers of the file's XML.
TEST_F(EigenvectorFiles, OfQudaAreRead) {
  const Part part = part_of(lattice);
  const auto value = [](std::size_t site, std::size_t field, std::size_t number) {
    return static_cast<double>(site) + 0.25 * static_cast<double>(field) + 1e-3 * static_cast<double>(number);
  };
  OutputFile file(folder / "quda", part.communicator);
  LimeWriter lime(file);
  write_scidac_file_records(lime, extents, "Dummy user file XML");
  constexpr std::size_t reals = 6, fields = 2;
  write_scidac_record_records(lime,
                              {.datatype = "QUDA_DNs1Nc3_ColorSpinorField",
                               .precision = 'D',
                               .colors = 3,
                               .spins = 1,
                               .typesize = 8 * reals,
                               .datacount = fields},
                              "<quda><info><subset>full</subset><parity>full</parity></info></quda>");
  std::vector<std::complex<double>> values;
  for (std::size_t k = 0; k < static_cast<std::size_t>(volume_of(extents)) * 3 * fields; ++k) {
    const std::size_t site = k / (3 * fields), field = k / 3 % fields, number = 2 * (k % 3);
    values.emplace_back(value(site, field, number), value(site, field, number + 1));
  }
  write_scidac_body(file, lime, "scidac-binary-data", part, values, {.places = {0, 1, 2, 3, 4, 5}, .stride = 6});
  file.commit();

  const SpinorFields<double> read = read_spinor_fields<double>(lattice, folder / "quda");
  ASSERT_EQ(read.fields.size(), fields);
  EXPECT_TRUE(read.quda && read.info.eigenvalues.empty());
  for (std::size_t field = 0; field < fields; ++field) {
    const auto values = read.fields[field].to_host();
    for (std::size_t site = 0; site < static_cast<std::size_t>(volume_of(extents)); ++site) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::complex<double> expected(value(site, field, 2 * c), value(site, field, 2 * c + 1));
        EXPECT_EQ(values[3 * site + c], expected);
      }
    }
  }
  KAON_EXPECT_ERROR(read_spinor_fields<double>(lattice, folder / "quda", Subset::even),
                    "holds fields on all sites: field 0 has |psi|^2 = ");
  test::write_bytes(folder / "other",
                    test::altered(test::read_text(folder / "quda"), "ColorSpinorField", "GaugeFieldOfSome"));
  KAON_EXPECT_ERROR(read_spinor_fields<double>(lattice, folder / "other"),
                    "holds QUDA_DNs1Nc3_GaugeFieldOfSome (2 of 48 bytes at each site");
}

// kaon's own file of the same fields has the same records from there on.
TEST_F(EigenvectorFiles, AreWrittenAsQudaWritesThem) {
  const auto fields = random_fields<double>(lattice, {.spins = 1, .subset = Subset::odd}, 2);
  write_spinor_fields<double>(folder / "a", fields, {}, {.bits = 32, .quda = true});
  const std::string bytes = test::read_text(folder / "a");
  expect_text(bytes,
              "<datatype>QUDA_FNs1Nc3_ColorSpinorField</datatype>\n<precision>F</precision>\n<colors>3</colors>\n"
              "<spins>1</spins>\n<typesize>24</typesize>\n<datacount>2</datacount>\n");
  expect_text(bytes,
              "<qudaStaggeredColorSpinorField>\n<version>BETA</version>\n<type>QUDA_FNs1Nc3_ColorSpinorField</type>\n"
              "<info>\n<subset>full</subset>\n<parity>odd</parity>\n<nColor>3</nColor>\n<nSpin>1</nSpin>\n</info>\n");
  // The first odd site is number 1; each site has 2 fields of 6 reals.
  const std::size_t body = bytes.find("scidac-binary-data") + 128;
  std::vector<std::byte> raw(4);
  for (const std::size_t k : {0u, 1u}) {
    for (std::size_t byte = 0; byte < 4; ++byte)
      raw[byte] = static_cast<std::byte>(bytes[body + 4 * (12 + 6 * k) + byte]);
    EXPECT_EQ(load_real(raw.data(), 32, ByteOrder::big), static_cast<float>(fields[k].to_host()[3].real()));
  }
}

TEST_F(EigenvectorFiles, AreRefusedWithTheReason) {
  std::vector<SpinorField<double>> fields = random_fields<double>(lattice, {.subset = Subset::even}, 2);
  const auto refused = [&](const char* text, const SpinorFileInfo& info = {}, const SpinorWriteOptions& options = {}) {
    KAON_EXPECT_ERROR(write_spinor_fields<double>(folder / "a", fields, info, options), text);
    EXPECT_EQ(folder.entries(), 0);
  };
  refused("3 eigenvalues or residuals of 2 fields", {.eigenvalues = {1.0, 2.0, 3.0}});
  refused("1 eigenvalues or residuals of 2 fields", {.residuals = {1.0}});
  const double infinite = std::numeric_limits<double>::infinity();
  refused("an eigenvalue or residual is not finite", {.eigenvalues = {1.0, infinite}});
  refused("an eigenvalue or residual is not finite", {.residuals = {std::nan(""), 1.0}});
  refused("text with control characters", {.info = std::string("a\0", 2)});
  refused("16 bits: numbers of 32 or 64 are possible", {}, {.bits = 16});
  auto values = fields[1].to_host();
  values[0] = 1e200;
  fields[1].from_host(values);
  refused("too large for 32 bits", {}, {.bits = 32});
  fields.emplace_back(lattice);
  refused("the fields have several shapes, lattices or right-hand sides");
  fields.clear();
  refused("there are no fields");

  fields = random_fields<double>(lattice, {.subset = Subset::even}, 2);
  write_spinor_fields<double>(folder / "a", fields, {.eigenvalues = {1.5, 2.5}, .residuals = {0.0, 0.0}});
  KAON_EXPECT_ERROR(read_spinor_fields<double>(lattice, folder / "a", Subset::odd), "on even sites, where");
  EXPECT_EQ(read_spinor_fields<double>(lattice, folder / "a").fields[1].to_host(), fields[1].to_host());
  const std::string bytes = test::read_text(folder / "a");
  const auto message = [&](const std::string& from, const std::string& to) {
    test::write_bytes(folder / "b", test::altered(bytes, from, to));
    return error_text([&] { read_spinor_fields<double>(lattice, folder / "b", Subset::even); });
  };
  const std::string second = "2.5000000000000000";
  const auto padded = [&](std::string text) { return text.append(second.size() - text.size(), ' '); };
  expect_text(message(second, padded("xxx")),
              "<eigenvalues> in its record scidac-file-xml holds 'xxx', which is no finite number");
  expect_text(message(second, padded("")), "it states 1 eigenvalues of 2 fields");
  expect_text(message(second, padded("inf")),
              "<eigenvalues> in its record scidac-file-xml holds 'inf', which is no finite number");
  expect_text(message(">0.0000000000000000", ">" + padded("nan")),
              "<residuals> in its record scidac-file-xml holds 'nan', which is no finite number");
  expect_text(message("<precision>D", "<precision>F"), "not spinors in 32 or 64 bits");
  expect_text(message("<datacount>1", "<datacount>2"), "is damaged: one of its records");
  expect_text(message("<datacount>1", "<datacount>0"), "(0 of 192 bytes at each site");
  test::write_bytes(folder / "b", test::damaged(bytes, bytes.size() / 3));
  KAON_EXPECT_ERROR(read_spinor_fields<double>(lattice, folder / "b", Subset::even), "wrong checksum");
}

/// The vectors of MILC's file, on all sites or packed, by plain loops over its description.
std::string milc_file(const std::vector<std::vector<std::complex<double>>>& vectors, bool packed) {
  const auto [X, Y, Z, T] = extents;
  std::string bytes =
      test::lime_record("scidac-private-file-xml",
                        "<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>4 2 6 4 </dims>"
                        "<volfmt>0</volfmt></scidacFile>",
                        true) +
      test::lime_record(
          "scidac-file-xml",
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?><info><title>KS eigenvalues and vectors</title><Nvecs>" +
              std::to_string(vectors.size()) + "</Nvecs>" + (packed ? "<format>Packed</format>" : "") + "</info>",
          false, true);
  const std::string cube =
      "<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>0 0 0 0 </hyperlower><hyperupper>3 1 5 1 "
      "</hyperupper>";
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    std::string body;
    for (int t = 0; t < (packed ? T / 2 : T); ++t) {
      for (int z = 0; z < Z; ++z) {
        for (int y = 0; y < Y; ++y) {
          for (int x = 0; x < X; ++x) {
            const bool moved = packed && (x + y + z + t) % 2 == 1;
            const Coordinates site{moved ? (x + 1) % X : x, y, z, moved ? t + T / 2 : t};
            for (std::size_t c = 0; c < 3; ++c) {
              const auto number = vectors[k][3 * static_cast<std::size_t>(lexicographic_index(site, extents)) + c];
              test::append(body, number.real(), ByteOrder::big);
              test::append(body, number.imag(), ByteOrder::big);
            }
          }
        }
      }
    }
    bytes += test::lime_record("scidac-private-record-xml",
                               "<scidacRecord><version>1.1</version>" + (packed ? cube : "<recordtype>0</recordtype>") +
                                   "<datatype>USQCD_D3_ColorVector</datatype><precision>D</precision><colors>3</colors>"
                                   "<typesize>48</typesize><datacount>1</datacount></scidacRecord>",
                               true) +
             test::lime_record("scidac-record-xml", "<info><eigVal>" + std::to_string(0.5 + static_cast<double>(k)) +
                                                        "</eigVal><resid>1e-12</resid></info>") +
             test::lime_record("scidac-binary-data", body) +
             test::lime_record("scidac-checksum", test::scidac_checksum(body, 48), false, true);
  }
  return bytes;
}

// MILC's eigenvectors have numbers on odd sites, too, which an operator on even sites does not need.
TEST_F(MilcEigenvectors, AreReadOnTheSitesThatAreWanted) {
  const auto full = random_fields<double>(lattice, {.spins = 1}, 2);
  for (const bool packed : {false, true}) {
    test::write_bytes(folder / "a", milc_file({full[0].to_host(), full[1].to_host()}, packed));
    const SpinorFields<double> read = read_spinor_fields<double>(lattice, folder / "a", Subset::even);
    EXPECT_EQ(read.info.eigenvalues, (std::vector<double>{0.5, 1.5}));
    EXPECT_TRUE(read.info.residuals.empty());
    ASSERT_EQ(read.fields.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto values = read.fields[k].to_host(), expected = full[k].to_host();
      for (std::size_t site = 0; site < values.size() / 3; ++site) {
        const Coordinates x = lexicographic_site(static_cast<std::ptrdiff_t>(site), extents);
        const bool even = (x[0] + x[1] + x[2] + x[3]) % 2 == 0;
        for (std::size_t c = 3 * site; c < 3 * site + 3; ++c) EXPECT_EQ(values[c], even ? expected[c] : 0.0);
      }
    }
    KAON_EXPECT_ERROR(read_propagator(folder / "a"), "holds spinor fields, not a propagator");
  }
}

TEST_F(MilcEigenvectors, ArePackedAsMilcPacksThem) {
  const auto fields = random_fields<double>(lattice, {.spins = 1, .subset = Subset::even}, 2);
  const SpinorFileInfo info{.eigenvalues = {0.5, 1.5}, .residuals = {1e-12, 1e-12}, .milc_shift = 0.25};
  const SpinorWriteOptions packed{.milc_packed = true};
  write_spinor_fields<double>(folder / "a", fields, info, packed);
  const std::string bytes = test::read_text(folder / "a"),
                    expected = milc_file({fields[0].to_host(), fields[1].to_host()}, true);
  const auto bodies = [](const std::string& text) {
    std::vector<std::string> found;
    for (std::size_t at = 0; (at = text.find("scidac-binary-data", at)) != text.npos; ++at) {
      found.push_back(text.substr(at + 128, 48 * 4 * 2 * 6 * 2));
    }
    return found;
  };
  EXPECT_EQ(bodies(bytes), bodies(expected));
  expect_text(bytes, "<Nvecs>2</Nvecs>\n<format>Packed</format>\n");
  expect_text(bytes, "<eigVal>2.500000000000000000e-01</eigVal>\n");
  expect_text(bytes, "<hyperlower>0 0 0 0 </hyperlower>\n<hyperupper>3 1 5 1 </hyperupper>\n");
  const SpinorFields<double> read = read_spinor_fields<double>(lattice, folder / "a", Subset::even);
  EXPECT_EQ(read.info.residuals, info.residuals);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(read.fields[k].to_host(), fields[k].to_host());
  const auto refused = [&](const std::vector<SpinorField<double>>& of, const SpinorFileInfo& stated) {
    KAON_EXPECT_ERROR(write_spinor_fields<double>(folder / "b", of, stated, packed),
                      "MILC packs eigenvectors of staggered quarks, with eigenvalues and 4 m^2 in them");
  };
  refused(fields, {});
  refused(random_fields<double>(lattice, {.spins = 4, .subset = Subset::even}, 2), info);
  refused(random_fields<double>(Lattice({.extents = {4, 4, 4, 6}}), {.spins = 1, .subset = Subset::even}, 2), info);
}

// Three vectors without spin have the numbers of a staggered propagator.
TEST_F(EigenvectorFiles, AreNoPropagator) {
  write_spinor_fields<double>(folder / "a", random_fields<double>(lattice, {.spins = 1}, 3));
  KAON_EXPECT_ERROR(read_propagator(folder / "a"), "holds spinor fields, not a propagator");
}

TEST_F(EigenvectorFiles, HoldAllNumbersOfTheirFile) {
  std::vector<SpinorField<double>> fields = random_fields<double>(lattice, {}, 1);
  auto values = fields[0].to_host();
  values[4] = 1e200;
  fields[0].from_host(values);
  write_spinor_fields<double>(folder / "a", fields);
  KAON_EXPECT_ERROR(read_spinor_fields<float>(lattice, folder / "a"),
                    "1 of its 2304 numbers are too large for single precision");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
