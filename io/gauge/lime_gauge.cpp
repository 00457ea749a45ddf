// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_formats.hpp"
#include "io/header_text.hpp"
#include "io/scidac.hpp"

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

Coordinates extents_of(const InputFile& file, const SciDacFile& contents, const std::optional<Xml>& ildg_format,
                       const ReadOptions& options) {
  std::optional<Coordinates> extents = contents.extents;
  if (ildg_format) {
    constexpr std::array tags{"lx", "ly", "lz", "lt"};
    Coordinates ildg{};
    for (std::size_t mu = 0; mu < ildg.size(); ++mu) ildg[mu] = ildg_format->integer(tags[mu]);
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

/// 32 or 64, from the statements of the file, or from the length of the body if it has none.
int bits_of(const InputFile& file, const std::optional<Xml>& ildg_format, const SciDacField& field,
            const Coordinates& extents) {
  int bits = 0;
  if (ildg_format) {
    bits = ildg_format->integer("precision");
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

void check_is_gauge_field(const InputFile& file, const std::optional<Xml>& ildg_format, const SciDacField& field,
                          int bits) {
  if (ildg_format) {
    const std::string kind = ildg_format->value("field").value_or("");
    require(capitals(kind) == "SU3GAUGE", [&] {
      return fmt::format("{}: its ildg-format record describes a field {}, not su3gauge", file.path().string(),
                         excerpt(kind));
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

/// A number that the record XML of a field states: nothing where the element is missing or empty.
std::optional<StatedNumber> stated_in(const InputFile& file, const Xml& xml, std::string_view record, const char* tag) {
  const std::string text = xml.value(tag).value_or("");
  if (text.empty()) return std::nullopt;
  return stated_number(file, fmt::format("<{}> in its record {}", tag, record), text);
}

/// XML of tmLQCD, whose element <2kappamu> has a name that XML does not allow.
std::string with_allowed_names(std::string text) {
  for (std::size_t at = 0; (at = text.find("2kappamu>", at)) != std::string::npos;) text.replace(at, 1, "two_");
  return text;
}

/// The plaquette in xlf-info, which tmLQCD writes: statements such as "beta = 6.0, kappa = 0.1", on lines of their own
/// or with commas between them, or XML. Nothing if there is no such statement or its value is empty.
std::optional<StatedNumber> plaquette_in_xlf_info(const InputFile& file, std::string_view text) {
  constexpr std::string_view record = "xlf-info";
  if (trimmed(text).starts_with('<')) {
    return stated_in(file, Xml(file.path(), record, with_allowed_names(std::string(text))), record, "plaquette");
  }
  while (!text.empty()) {
    const std::string_view statement = text.substr(0, text.find_first_of("\n\r,;"));
    text.remove_prefix(std::min(statement.size() + 1, text.size()));
    const std::size_t equals = std::min(statement.find('='), statement.size());
    const auto key = words(statement.substr(0, equals));
    if (equals == statement.size() || key.empty() || capitals(key.back()) != "PLAQUETTE") continue;
    const auto value = words(statement.substr(equals + 1));
    if (!value.empty()) return stated_number(file, fmt::format("plaquette in its record {}", record), value.front());
  }
  return std::nullopt;
}

}  // namespace

std::vector<ParsedGauge> parse_lime(const InputFile& file, const ReadOptions& options) {
  if (!is_lime(file)) return {};
  const SciDacFile contents = scidac_file(file);
  const SciDacField& field = gauge_record(file, contents);
  std::optional<Xml> ildg_format;
  if (!field.ildg_format.empty()) ildg_format.emplace(file.path(), "ildg-format", field.ildg_format);
  const Coordinates extents = extents_of(file, contents, ildg_format, options);
  const int bits = bits_of(file, ildg_format, field, extents);
  check_is_gauge_field(file, ildg_format, field, bits);

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
  if (ildg_format) parsed.header.metadata.emplace_back("ildg-format", field.ildg_format);
  const Xml record = xml_of_record(file, field);
  if (record.has("usqcdInfo")) {
    parsed.header.plaquette = stated_in(file, record, "scidac-record-xml", "plaq");
    parsed.header.link_trace = stated_in(file, record, "scidac-record-xml", "linktr");
  }
  for (const auto& [type, text] : contents.texts) {
    if (type == "xlf-info" && !parsed.header.plaquette) parsed.header.plaquette = plaquette_in_xlf_info(file, text);
  }
  if (contents.fields.size() > 1) {
    parsed.notes.push_back(fmt::format("the file holds {} binary records; the links are those of record {} at byte {}",
                                       contents.fields.size(), field.binary.type, field.binary.offset));
  }
  return {parsed};
}

namespace {

std::string ildg_format(const Coordinates& extents, int bits) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?><ildgFormat xmlns="http://www.lqcd.org/ildg" )"
      R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd"><version>1.0</version><field>su3gauge</field>)"
      "<precision>{}</precision><lx>{}</lx><ly>{}</ly><lz>{}</lz><lt>{}</lt></ildgFormat>",
      bits, extents[0], extents[1], extents[2], extents[3]);
}

/// The plaquette is meaningless for smeared links, which are in no group.
std::string record_xml(const Measured& measured, const WriteOptions& options) {
  const std::string info = xml_element("info", options.info);
  if (!options.require_special_unitary) {
    return fmt::format("<kaonSmearedLinks><version>1.0</version>{}</kaonSmearedLinks>", info);
  }
  return fmt::format("<usqcdInfo><version>1.0</version><plaq>{:.12g}</plaq><linktr>{:.12g}</linktr>{}</usqcdInfo>",
                     measured.plaquette, measured.link_trace, info);
}

}  // namespace

Checksum write_lime(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                    const WriteOptions& options) {
  const bool is_ildg = options.format == GaugeFormat::ildg;
  LimeWriter lime(file);
  write_scidac_file_records(lime, part.extents,
                            xml_element("title", options.require_special_unitary ? "gauge configuration written by kaon"
                                                                                 : "smeared links written by kaon"));
  write_scidac_record_records(lime,
                              {.datatype = options.bits == 32 ? "USQCD_F3_ColorMatrix" : "USQCD_D3_ColorMatrix",
                               .precision = options.bits == 32 ? 'F' : 'D',
                               .colors = colors,
                               .typesize = 18 * options.bits / 8,
                               .datacount = 4},
                              record_xml(measured, options));
  if (is_ildg) {
    lime.add("ildg-format", ildg_format(part.extents, options.bits));
    lime.add("ildg-data-lfn", options.logical_file_name);
  }
  const GaugeBody body{.extents = part.extents, .bits = options.bits};
  return write_scidac_body(file, lime, is_ildg ? "ildg-binary-data" : "scidac-binary-data", part, field.links,
                           body.numbers());
}

}  // namespace kaon::io
