// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/column_files.hpp"
#include "tests/io/files.hpp"

#include <kaon/core/message.hpp>
#include <kaon/core/random.hpp>
#include <kaon/io/gauge_file.hpp>
#include <kaon/io/spinors.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

namespace kaon::io {
namespace KAON_TEST_FILE {

using MutatedFiles = test::FileTest;

const Coordinates extents{2, 2, 2, 4};

/// gpt's format.lime of links or of a propagator, which `body` is.
std::string gpt_file(const std::string& body, int count, const std::string& type,
                     const std::string& record = "gpt-binary-data") {
  return test::lime_record(record, body, true, true) +
         test::lime_record("scidac-checksum", test::scidac_checksum(body, body.size() / 32), true, true) +
         test::lime_record("gpt-format",
                           fmt::format("<gptFormat><grid>[2,2,2,4];double;full</grid><n>{}</n><otype>{}</otype>"
                                       "</gptFormat>",
                                       count, type),
                           true, true);
}

/// gpt's format.grid_scidac of the same: records of Grid that describe nothing.
std::string gpt_grid_file(const std::string& body, int count, const std::string& type) {
  return test::lime_record("grid-format", "<FieldMetaData><nd>0</nd><dimension/></FieldMetaData>", true, true) +
         test::lime_record("scidac-record-xml", "<emptyUserRecord></emptyUserRecord>", true, true) +
         test::lime_record("scidac-private-record-xml",
                           "<scidacRecord><version>1</version><date/><recordtype>0</recordtype><datatype>0</datatype>"
                           "<precision>0</precision><colors>0</colors><spins>0</spins><typesize>0</typesize>"
                           "<datacount>0</datacount></scidacRecord>",
                           true, true) +
         gpt_file(body, count, type, "ildg-binary-data");
}

/// Valid bytes, changed: some bytes of the headers or texts, or a piece left out or doubled, or the end cut off.
std::string mutated(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  // Texts and headers are where letters are; bodies hold few of them.
  const auto letter = [&] {
    std::size_t at = below(bytes.size());
    for (int tries = 0; tries < 1000 && (bytes[at] < ' ' || bytes[at] > '~'); ++tries) at = below(bytes.size());
    return at;
  };
  switch (below(5)) {
    case 0:
      for (std::size_t k = 1 + below(4); k > 0; --k) bytes[letter()] = static_cast<char>(random());
      break;
    case 1:
      bytes[letter()] = "0123456789<>/&;\"-."[below(19)];
      break;
    case 2:
      bytes.erase(letter(), 1 + below(40));
      break;
    case 3: {
      const std::size_t at = letter();
      bytes.insert(at, bytes.substr(at, 1 + below(200)));
      break;
    }
    default:
      bytes.resize(below(bytes.size()));
  }
  return bytes;
}

/// Reads 200 mutated files: each is read or refused by an `Error`.
void expect_no_crash(const std::string& bytes, const std::function<void(const std::filesystem::path&)>& read) {
  const test::TemporaryFolder folder;
  const MessageHandler before = set_message_handler([](MessageKind, const std::string&) {});
  test::write_bytes(folder / "a.00", bytes);
  EXPECT_NO_THROW(read(folder / "a.00"));
  std::mt19937_64 random(3);
  int refused = 0;
  for (int n = 0; n < 200; ++n) {
    test::write_bytes(folder / "a.00", mutated(bytes, random));
    try {
      read(folder / "a.00");
    } catch (const Error&) {
      ++refused;
    }
  }
  set_message_handler(before);
  EXPECT_GT(refused, 50);
}

TEST_F(MutatedFiles, OfPropagatorsAreReadOrRefused) {
  const HostPropagator propagator = test::random_propagator(extents);
  const auto written = [&](const PropagatorWriteOptions& options, bool has_sources) {
    const HostPropagator sources(extents);
    has_sources ? write_propagator(folder / "a", propagator, sources, options)
                : write_propagator(folder / "a", propagator, options);
    return test::read_text(folder / "a");
  };
  std::string tmlqcd, body;
  for (int column = 0; column < 12; ++column) tmlqcd += test::tmlqcd_column(propagator, column);
  for (const std::complex<double> z : propagator.values) {
    test::append(body, z.real(), ByteOrder::big);
    test::append(body, z.imag(), ByteOrder::big);
  }
  for (const std::string& bytes :
       {written({.chroma_header = "<ForwardProp>\n<version>10</version>\n</ForwardProp>\n"}, false),
        written({.format = PropagatorFormat::usqcd_pairs}, true),
        written({.format = PropagatorFormat::usqcd_scalar_source}, true),
        written({.format = PropagatorFormat::grid}, false), test::dirac_pairs(propagator, "Lattice", true, true),
        tmlqcd, gpt_file(body, 1, "ot_matrix_spin_color(4,3)"), gpt_grid_file(body, 1, "ot_matrix_spin_color(4,3)")}) {
    expect_no_crash(bytes, [](const auto& path) { read_propagator(path); });
  }
}

TEST_F(MutatedFiles, OfLinksAreReadOrRefused) {
  const HostLinks links = test::random_links(extents);
  write_links(folder / "a", links, {.format = GaugeFormat::grid});
  const std::string body = test::big_endian_links(links), type = "ot_matrix_su_n_fundamental_group(3);none";
  for (const std::string& bytes :
       {test::read_text(folder / "a"), gpt_file(body, 4, type), gpt_grid_file(body, 4, type)}) {
    expect_no_crash(bytes, [](const auto& path) { read_links(path); });
  }
}

TEST_F(MutatedFiles, OfEigenvectorsAreReadOrRefused) {
  const Lattice lattice({.extents = extents});
  std::vector<SpinorField<double>> fields;
  set_gaussian(fields.emplace_back(lattice, SpinorParameters{.spins = 1, .subset = Subset::even}), {.seed = 1});
  SpinorFileInfo info{.eigenvalues = {0.5}, .residuals = {1e-9}, .milc_shift = 0.0};
  for (const SpinorWriteOptions& options : {SpinorWriteOptions{}, {.milc_packed = true}, {.quda = true}}) {
    if (options.quda) info.milc_shift = {};
    write_spinor_fields<double>(folder / "a", fields, info, options);
    expect_no_crash(test::read_text(folder / "a"),
                    [&](const auto& path) { read_spinor_fields<double>(lattice, path, Subset::even); });
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
