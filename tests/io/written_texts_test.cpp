// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/lime.hpp"
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/core/random.hpp>
#include <kaon/io/gauge_file.hpp>
#include <kaon/io/propagator_file.hpp>
#include <kaon/io/spinors.hpp>

#include <pugixml.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

// Strict readers accept the texts in the files that kaon writes: lyncs_io parses the whole record as XML
// (lime.py of 4a8c301), PLEGMA reads ildg-format line by line (getValueFromXML of include/io/PLEGMA_lime.h), gpt counts
// the digits behind the decimal point (lib/gpt/core/io/nersc_io.py of 851072d7).

namespace kaon::io {
namespace KAON_TEST_FILE {

using WrittenTexts = test::FileTest;

const Coordinates extents{4, 2, 6, 4};

HostLinks unit_links() {
  HostLinks unit(extents);
  for (std::size_t k = 0; k < unit.links.size(); k += 9) unit.links[k] = unit.links[k + 4] = unit.links[k + 8] = 1;
  return unit;
}

std::vector<SpinorField<double>> vectors(const Lattice& lattice, int spins, Subset sites) {
  std::vector<SpinorField<double>> fields;
  for (std::uint64_t k = 0; k < 2; ++k) {
    set_gaussian(fields.emplace_back(lattice, SpinorParameters{.spins = spins, .subset = sites}), {.seed = k});
  }
  return fields;
}

using Write = std::function<void(const std::filesystem::path&)>;

/// Every kind of LIME file that kaon writes, by a name.
std::map<std::string, Write> kinds_of_file() {
  const Lattice lattice({.extents = extents});
  const std::string info = "a < b & \"c\"";
  const auto links = [info](const HostLinks& field, const WriteOptions& options) {
    return [field, options](const std::filesystem::path& path) { write_links(path, field, options); };
  };
  const auto propagator = [info](int spins, PropagatorFormat format, const std::string& header = {}) {
    return [=](const std::filesystem::path& path) {
      const HostPropagator field = test::random_propagator(extents, spins, 3, 1);
      const PropagatorWriteOptions options{.info = info, .format = format, .chroma_header = header};
      if (format == PropagatorFormat::scidac || format == PropagatorFormat::grid) {
        return write_propagator(path, field, options);
      }
      write_propagator(path, field, HostPropagator(extents, spins, 3), options);
    };
  };
  const auto spinors = [lattice, info](int spins, Subset sites, bool states_values, const SpinorWriteOptions& options) {
    return [=](const std::filesystem::path& path) {
      SpinorFileInfo stated{.plaquette = 1.0, .info = info};
      if (states_values) stated.eigenvalues = {1.0, 1e-3};
      if (states_values) stated.residuals = {0.0, 1e-10};
      if (spins == 1 && !options.quda) stated.milc_shift = 0.0;
      write_spinor_fields<double>(path, vectors(lattice, spins, sites), stated, options);
    };
  };
  return {{"ildg", links(unit_links(), {.info = info})},
          {"scidac", links(unit_links(), {.format = GaugeFormat::scidac, .bits = 32, .info = info})},
          {"smeared links",
           links(unit_links(), {.format = GaugeFormat::scidac, .info = info, .require_special_unitary = false})},
          {"propagator", propagator(4, PropagatorFormat::scidac)},
          {"Chroma's propagator",
           propagator(4, PropagatorFormat::scidac, "<ForwardProp>\n<version>10</version>\n</ForwardProp>\n")},
          {"staggered propagator", propagator(1, PropagatorFormat::scidac)},
          {"staggered pairs", propagator(1, PropagatorFormat::usqcd_pairs)},
          {"Dirac pairs", propagator(4, PropagatorFormat::usqcd_pairs)},
          {"scalar source", propagator(4, PropagatorFormat::usqcd_scalar_source)},
          {"Grid's propagator", propagator(4, PropagatorFormat::grid)},
          {"Grid's links", links(unit_links(), {.format = GaugeFormat::grid, .info = info})},
          {"spinors", spinors(4, Subset::full, false, {})},
          {"eigenvectors", spinors(4, Subset::even, true, {})},
          {"staggered eigenvectors", spinors(1, Subset::even, true, {.bits = 32})},
          {"packed eigenvectors", spinors(1, Subset::even, true, {.milc_packed = true})},
          {"staggered scalar source", propagator(1, PropagatorFormat::usqcd_scalar_source)},
          {"QUDA's eigenvectors", spinors(1, Subset::even, true, {.quda = true})}};
}

/// Calls visit(type, text) for all records that are no bodies.
template <class Visit>
void for_each_text(const std::filesystem::path& path, const Visit& visit) {
  const InputFile file(path);
  for (const LimeRecord& record : lime_records(file)) {
    if (!record.type.ends_with("binary-data")) visit(record.type, file.text(record.offset, record.length));
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(WrittenTexts, AreXmlToTheirLastByteWithAnElementALine) {
  for (const auto& [name, write] : kinds_of_file()) {
    write(folder / "a");
    int documents = 0;
    for_each_text(folder / "a", [&](const std::string& type, const std::string& text) {
      SCOPED_TRACE(name + ", record " + type + ": " + text);
      EXPECT_EQ(text.find('\0'), text.npos);
      if (type == "ildg-data-lfn") return;
      pugi::xml_document document;
      EXPECT_TRUE(document.load_buffer(text.data(), text.size(), pugi::parse_full));
      EXPECT_TRUE(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<") && text.ends_with(">\n"));
      ++documents;
      for (const std::string& line : lines_of(text)) {
        const auto starts = std::count(line.begin(), line.end(), '<');
        EXPECT_TRUE(starts == 1 || (starts == 2 && line.find("</") != line.npos)) << line;
        EXPECT_TRUE(line.front() == '<' && line.back() == '>') << line;
      }
    });
    EXPECT_GE(documents, 5) << name;
  }
}

// gpt compares the texts of checksums with its own, of eight characters with blanks in front.
TEST_F(WrittenTexts, HaveChecksumsOfEightCharacters) {
  int checksums = 0;
  for (const auto& [name, write] : kinds_of_file()) {
    write(folder / "a");
    for_each_text(folder / "a", [&](const std::string&, const std::string& text) {
      for (const std::string& line : lines_of(text)) {
        if (!line.starts_with("<suma>") && !line.starts_with("<sumb>")) continue;
        EXPECT_EQ(line.size(), std::string("<suma>01234567</suma>").size()) << name << ": " << line;
        ++checksums;
      }
    });
  }
  EXPECT_GT(checksums, 100);
}

TEST_F(WrittenTexts, HaveNumbersWithADecimalPoint) {
  int numbers = 0;
  for (const auto& [name, write] : kinds_of_file()) {
    write(folder / "a");
    for_each_text(folder / "a", [&](const std::string&, const std::string& text) {
      for (const std::string& line : lines_of(text)) {
        for (const std::string tag :
             {"plaq", "linktr", "eigVal", "resid", "eigenvalues", "residuals", "plaquette", "link_trace"}) {
          const std::string start = "<" + tag + ">";
          if (!line.starts_with(start)) continue;
          std::istringstream words(line.substr(start.size(), line.find("</") - start.size()));
          for (std::string word; words >> word; ++numbers) EXPECT_NE(word.find('.'), word.npos) << name << ": " << line;
        }
      }
    });
  }
  EXPECT_EQ(numbers, 2 * 2 + 4 + 3 * 4 + 2 * 2 + 2 * 2 + 9);
  write_links(folder / "a", unit_links(), {.format = GaugeFormat::nersc});
  const std::string header = test::read_text(folder / "a").substr(0, 600);
  test::expect_text(header, "\nLINK_TRACE = 1.000000000000\nPLAQUETTE = 1.000000000000\n");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
