// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/gauge/gauge_formats.hpp"
#include "io/hdf5_field.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kaon::io {
namespace {

// PyQUDA (pyquda_comm/hdf5.py of 0ac50a0): /LatticeColorMatrix/X, Y, Z and T, [t][z][y][x][row][column].
// QDP++ (lib/qdp_hdf5.cc of d8232616): one data set of any name, [t][z][y][x][mu] of arrays [row][column].

constexpr std::array<const char*, directions> names_of_directions{"X", "Y", "Z", "T"};

/// The numbers of a site of the directions `first`, ..., first + count - 1.
SiteNumbers link_numbers(int first, int count, int bits, ByteOrder order) {
  SiteNumbers numbers{.stride = 36, .bits = bits, .order = order};
  for (int k = 9 * first; k < 9 * (first + count); ++k) numbers.places.push_back(static_cast<std::size_t>(k));
  return numbers;
}

/// Each gauge field of a file: one data set, or one for each direction.
std::vector<std::vector<Hdf5Field>> gauge_fields(const std::vector<Hdf5Field>& sets) {
  const auto find = [&](const std::string& path) {
    return std::ranges::find_if(sets, [&](const Hdf5Field& set) { return set.path == path; });
  };
  std::vector<std::vector<Hdf5Field>> found;
  for (const Hdf5Field& set : sets) {
    if (set.inner == std::vector{directions, 3, 3}) found.push_back({set});
    if (set.inner != std::vector{3, 3} || !set.path.ends_with("/X")) continue;
    std::vector<Hdf5Field> links;
    for (const char* name : names_of_directions) {
      const auto direction = find(set.path.substr(0, set.path.size() - 1) + name);
      if (direction == sets.end()) break;
      if (direction->inner == set.inner && direction->extents == set.extents && direction->bits == set.bits &&
          direction->order == set.order) {
        links.push_back(*direction);
      }
    }
    if (links.size() == directions) found.push_back(links);
  }
  return found;
}

}  // namespace

std::vector<ParsedGauge> parse_hdf5(const InputFile& file, const ReadOptions& options) {
  if (!is_hdf5(file)) return {};
  const std::vector<Hdf5Field> sets = hdf5_fields(file);
  const auto found = gauge_fields(sets);
  require(found.size() == 1, [&] {
    return fmt::format(
        "{} holds {} gauge fields, not one: kaon reads PyQUDA's data sets X, Y, Z and T, [t][z][y][x][3][3], and "
        "QDP++'s [t][z][y][x][4][3][3]. Its data sets of complex numbers are: {}",
        file.path().string(), found.size(), describe(sets));
  });
  const std::vector<Hdf5Field>& fields = found.front();
  const Hdf5Field& first = fields.front();
  check_extents(file, first.extents, options);
  ParsedGauge parsed = parsed_gauge(fields.size() == 1 ? GaugeFormat::qdpxx : GaugeFormat::pyquda, first.extents,
                                    first.bits, first.order);
  parsed.body.hdf5 = fields;
  parsed.body.checksum = ChecksumKind::pyquda;
  const bool have_checksum =
      std::ranges::all_of(fields, [](const Hdf5Field& field) { return field.checksum.has_value(); });
  if (have_checksum) {
    parsed.header.checksum = Checksum{.kind = ChecksumKind::pyquda};
    for (const Hdf5Field& field : fields) parsed.header.checksum->combine(*field.checksum);
  }
  parsed.header.metadata = first.texts;
  return {parsed};
}

Checksum read_hdf5_links(HostLinks& out, const InputFile& file, const std::vector<Hdf5Field>& fields,
                         const Part& part) {
  Checksum all{.kind = ChecksumKind::pyquda};
  const int count = fields.size() == 1 ? directions : 1;
  for (int mu = 0; mu < directions; mu += count) {
    const Hdf5Field& field = fields[static_cast<std::size_t>(mu)];
    all.combine(read_hdf5_sites(out.links, file, field, part, link_numbers(mu, count, field.bits, field.order)));
  }
  return all;
}

StartedBody start_hdf5(OutputFile& file, const Part& part, const Measured& measured, const WriteOptions& options) {
  const std::string group = "/LatticeColorMatrix";
  std::vector<NewHdf5Field> sets;
  std::vector<Hdf5Attribute> attributes;
  const bool is_pyquda = options.format == GaugeFormat::pyquda;
  if (is_pyquda) {
    for (const char* name : names_of_directions) sets.push_back({.path = group + "/" + name, .inner = {3, 3}});
    attributes = {{group, "Annotation", options.info},
                  {group, "Lattice",
                   fmt::format("{} {} {} {}", part.extents[0], part.extents[1], part.extents[2], part.extents[3])},
                  {group, "Color", "3"}};
  } else {
    sets = {{.path = "/links", .inner = {directions}, .arrays = {{3, 3}}}};
    attributes = {{"/links", "file_xml", xml_document("gauge", {{"info", options.info}})},
                  {"/links", "record_xml",
                   xml_document("gauge", {{"plaquette", fmt::format("{:.12g}", measured.plaquette)},
                                          {"link_trace", fmt::format("{:.12g}", measured.link_trace)}})}};
  }
  StartedBody body{.kind = ChecksumKind::pyquda};
  const int count = is_pyquda ? 1 : directions;
  for (const std::uint64_t offset : make_hdf5(file, part.extents, options.bits, sets)) {
    const int mu = static_cast<int>(body.pieces.size()) * count;
    body.pieces.push_back({offset, link_numbers(mu, count, options.bits, ByteOrder::little)});
  }
  body.finish = [&file, is_pyquda, sets, attributes](const std::vector<Checksum>& checksums) mutable {
    for (std::size_t k = 0; is_pyquda && k < sets.size(); ++k) {
      attributes.push_back({sets[k].path, "sum29", fmt::format("{:08x}", checksums[k].first)});
      attributes.push_back({sets[k].path, "sum31", fmt::format("{:08x}", checksums[k].second)});
    }
    add_hdf5_attributes(file, attributes);
  };
  return body;
}

}  // namespace kaon::io
