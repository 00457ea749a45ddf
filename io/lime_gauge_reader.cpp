// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge_formats.hpp"
#include "io/scidac.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

// Gauge fields in LIME files: ILDG (ildg-format, ildg-binary-data) and SciDAC (private XML, scidac-binary-data), often
// both at once. Links site by site (x fastest), mu = x, y, z, t, three rows, big endian.

namespace kaon::io {
namespace {

/// The field that holds the links: the first one in an ILDG record, else the first one at all.
const SciDacField& gauge_record(const InputFile& file, const SciDacFile& contents) {
  require(!contents.fields.empty(), [&] {
    return fmt::format("{} is a LIME file without a record ildg-binary-data or scidac-binary-data",
                       file.path().string());
  });
  const auto ildg = std::find_if(contents.fields.begin(), contents.fields.end(),
                                 [](const SciDacField& field) { return field.binary.type == "ildg-binary-data"; });
  return ildg == contents.fields.end() ? contents.fields.front() : *ildg;
}

Coordinates extents_of(const InputFile& file, const SciDacFile& contents, const ReadOptions& options) {
  std::optional<Coordinates> extents = contents.extents;
  if (contents.ildg_format) {
    constexpr std::array tags{"lx", "ly", "lz", "lt"};
    Coordinates ildg{};
    for (std::size_t mu = 0; mu < ildg.size(); ++mu) ildg[mu] = xml_integer(file, *contents.ildg_format, tags[mu]);
    require(!extents || *extents == ildg, [&] {
      return fmt::format("{} contradicts itself: extents {} in ildg-format, {} in scidac-private-file-xml",
                         file.path().string(), to_string(ildg), to_string(*extents));
    });
    extents = ildg;
  }
  if (!extents) extents = options.extents;
  require(extents.has_value(), [&] {
    return fmt::format("{} does not state its extents (no record ildg-format or scidac-private-file-xml): give them",
                       file.path().string());
  });
  check_extents(file, *extents, options);
  return *extents;
}

/// 32 or 64, from whatever the file says about it; by the length of the body where it says nothing.
int bits_of(const InputFile& file, const SciDacFile& contents, const SciDacField& field, const Coordinates& extents) {
  int bits = 0;
  if (contents.ildg_format) {
    bits = xml_integer(file, *contents.ildg_format, "precision");
  } else if (field.info) {
    bits = field.info->precision == 'F' ? 32 : field.info->precision == 'D' ? 64 : 0;
  } else {
    const std::uint64_t reals = static_cast<std::uint64_t>(volume_of(extents)) * 72;
    bits = field.binary.length == 4 * reals ? 32 : 64;
  }
  require(bits == 32 || bits == 64,
          [&] { return fmt::format("{}: precision is neither 32 nor 64 bits", file.path().string()); });
  return bits;
}

void check_is_gauge_field(const InputFile& file, const SciDacFile& contents, const SciDacField& field, int bits) {
  if (contents.ildg_format) {
    const std::string kind = xml_value(*contents.ildg_format, "field").value_or("");
    require(kind == "su3gauge", [&] {
      return fmt::format("{}: its ildg-format record describes a field '{}', not su3gauge", file.path().string(), kind);
    });
  }
  const int bytes = 18 * bits / 8;
  const auto& info = field.info;
  // By the product alone, 12 colour vectors would be four matrices.
  const bool matrices = info && ((info->typesize == bytes && info->datacount == 4) ||
                                 (info->typesize == 4 * bytes && info->datacount == 1));
  require(!info || matrices, [&] {
    return fmt::format("{} holds {} ({} of {} bytes at each site), not a gauge field (4 of {} bytes)",
                       file.path().string(), info->datatype, info->datacount, info->typesize, bytes);
  });
}

/// The number after "key =" in a text of lines: where xlf-info, written by tmLQCD, states the plaquette.
std::optional<StatedNumber> number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  const auto from = text.find_first_not_of(" =");
  return from == text.npos ? std::nullopt : stated_number(text.substr(from));
}

std::optional<StatedNumber> xml_number(std::string_view xml, std::string_view tag) {
  const auto text = xml_value(xml, tag);
  return text ? stated_number(*text) : std::nullopt;
}

}  // namespace

std::vector<ParsedGauge> parse_lime(const InputFile& file, const ReadOptions& options) {
  if (!is_lime(file)) return {};
  const SciDacFile contents = scidac_file(file);
  const SciDacField& field = gauge_record(file, contents);
  const Coordinates extents = extents_of(file, contents, options);
  const int bits = bits_of(file, contents, field, extents);
  check_is_gauge_field(file, contents, field, bits);

  const bool is_ildg = field.binary.type == "ildg-binary-data";
  ParsedGauge parsed = parsed_gauge(is_ildg ? GaugeFormat::ildg : GaugeFormat::scidac, extents, bits, ByteOrder::big);
  parsed.body.offset = field.binary.offset;
  parsed.body.checksum = ChecksumKind::scidac;
  require(field.binary.length == parsed.body.bytes(), [&] {
    return fmt::format("{} is {}: its record {} has {} bytes and should have {} ({} sites of {} bytes)",
                       file.path().string(), field.binary.length < parsed.body.bytes() ? "truncated" : "too long",
                       field.binary.type, field.binary.length, parsed.body.bytes(), parsed.body.items(),
                       parsed.body.item_bytes());
  });
  parsed.header.checksum = field.checksum;
  parsed.header.metadata = contents.texts;
  if (contents.ildg_format) parsed.header.metadata.emplace_back("ildg-format", *contents.ildg_format);
  if (field.record_xml.find("usqcdInfo") != std::string::npos) {
    parsed.header.plaquette = xml_number(field.record_xml, "plaq");
    parsed.header.link_trace = xml_number(field.record_xml, "linktr");
  }
  for (const auto& [type, text] : contents.texts) {
    if (type == "xlf-info" && !parsed.header.plaquette) parsed.header.plaquette = number_after(text, "plaquette");
  }
  if (contents.fields.size() > 1) {
    parsed.notes.push_back(fmt::format("the file holds {} binary records; the links are those of record {} at byte {}",
                                       contents.fields.size(), field.binary.type, field.binary.offset));
  }
  return {parsed};
}

}  // namespace kaon::io
