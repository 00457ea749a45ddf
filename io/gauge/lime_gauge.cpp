// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_formats.hpp"
#include "io/grid_format.hpp"
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

/// XML of tmLQCD, whose element <2kappamu> has a name that XML does not allow.
std::string with_allowed_names(std::string text) {
  for (std::size_t at = 0; (at = text.find("2kappamu>", at)) != std::string::npos;) text.replace(at, 1, "two_");
  return text;
}

/// Numbers that records state about the links. A file is readable without them: what is no number is not stated, and a
/// warning reports it.
class Statements {
 public:
  Statements(const InputFile& file, SciDacFile& contents) : file_(file), contents_(contents) {}

  /// The number in an element; nothing if it is missing or empty.
  std::optional<StatedNumber> in(const Xml& xml, const char* tag) {
    return unless_damaged([&]() -> std::optional<StatedNumber> {
      const std::string text = xml.value(tag).value_or("");
      if (text.empty()) return std::nullopt;
      return stated_number(file_, xml.element_of(tag), text);
    });
  }

  /// The plaquette in xlf-info, which tmLQCD writes: statements such as "beta = 6.0, kappa = 0.1", on lines of their
  /// own or with commas between them, or XML. Nothing if there is no such statement or its value is empty.
  std::optional<StatedNumber> in_xlf_info(std::string_view text) {
    constexpr std::string_view record = "xlf-info";
    if (trimmed(text).starts_with('<')) {
      const Xml xml = Xml::of_user(file_.path(), record, with_allowed_names(std::string(text)));
      if (!xml.problem().empty()) contents_.warn(file_, xml.problem());
      return in(xml, "plaquette");
    }
    while (!text.empty()) {
      const std::string_view statement = text.substr(0, text.find_first_of("\n\r,;"));
      text.remove_prefix(std::min(statement.size() + 1, text.size()));
      const std::size_t equals = std::min(statement.find('='), statement.size());
      const auto key = words(statement.substr(0, equals));
      if (equals == statement.size() || key.empty() || capitals(key.back()) != "PLAQUETTE") continue;
      const auto value = words(statement.substr(equals + 1));
      if (value.empty()) continue;
      return unless_damaged([&]() -> std::optional<StatedNumber> {
        return stated_number(file_, fmt::format("plaquette in its record {}", record), value.front());
      });
    }
    return std::nullopt;
  }

 private:
  template <class Read>
  std::optional<StatedNumber> unless_damaged(const Read& read) {
    try {
      return read();
    } catch (const Error& error) {
      contents_.warn(file_, fmt::format("a statement of it was not compared with the links: {}", error.what()));
      return std::nullopt;
    }
  }

  const InputFile& file_;
  SciDacFile& contents_;
};

}  // namespace

std::vector<ParsedGauge> parse_lime(const InputFile& file, const ReadOptions& options) {
  if (!is_lime(file)) return {};
  SciDacFile contents = scidac_file(file);
  const SciDacField& field = gauge_record(file, contents);
  std::optional<Xml> ildg_format;
  if (!field.ildg_format.empty()) ildg_format.emplace(file.path(), "ildg-format", field.ildg_format);
  const Coordinates extents = extents_of(file, contents, ildg_format, options);
  const int bits = bits_of(file, ildg_format, field, extents);
  check_is_gauge_field(file, ildg_format, field, bits);

  const bool is_ildg = field.binary.type == "ildg-binary-data";
  const bool is_grid = is_ildg && !ildg_format && std::ranges::any_of(contents.texts, [](const auto& record) {
                         return record.first == "grid-format";
                       });
  const GaugeFormat format = is_grid ? GaugeFormat::grid : is_ildg ? GaugeFormat::ildg : GaugeFormat::scidac;
  ParsedGauge parsed = parsed_gauge(format, extents, bits, ByteOrder::big);
  parsed.body.offset = field.binary.offset;
  parsed.body.checksum = ChecksumKind::scidac;
  parsed.body.imaginary_first = field.info && field.info->imaginary_first;
  require(field.binary.length == parsed.body.bytes(), [&] {
    return fmt::format("{} is {}: its record {} has {} bytes and should have {} ({} sites of {} bytes)",
                       file.path().string(), field.binary.length < parsed.body.bytes() ? "truncated" : "too long",
                       field.binary.type, field.binary.length, parsed.body.bytes(), parsed.body.items(),
                       parsed.body.item_bytes());
  });
  parsed.header.checksum = field.checksum;
  parsed.header.metadata = contents.texts;
  if (ildg_format) parsed.header.metadata.emplace_back("ildg-format", field.ildg_format);
  Statements statements{file, contents};
  if (field.record.has("usqcdInfo")) {
    parsed.header.plaquette = statements.in(field.record, "plaq");
    parsed.header.link_trace = statements.in(field.record, "linktr");
  }
  for (const auto& [type, text] : contents.texts) {
    if (type == "xlf-info" && !parsed.header.plaquette) parsed.header.plaquette = statements.in_xlf_info(text);
  }
  parsed.notes = contents.notes;
  if (contents.fields.size() > 1) {
    parsed.notes.push_back(fmt::format("the file holds {} binary records; the links are those of record {} at byte {}",
                                       contents.fields.size(), field.binary.type, field.binary.offset));
  }
  return {parsed};
}

namespace {

std::string ildg_format(const Coordinates& extents, int bits) {
  constexpr std::string_view attributes =
      R"(xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd")";
  return xml_document("ildgFormat",
                      {{"version", "1.0"},
                       {"field", "su3gauge"},
                       {"precision", std::to_string(bits)},
                       {"lx", std::to_string(extents[0])},
                       {"ly", std::to_string(extents[1])},
                       {"lz", std::to_string(extents[2])},
                       {"lt", std::to_string(extents[3])}},
                      attributes);
}

/// The plaquette is meaningless for smeared links, which are in no group.
std::string record_xml(const Measured& measured, const WriteOptions& options) {
  if (!options.require_special_unitary) {
    return xml_document("kaonSmearedLinks", {{"version", "1.0"}, {"info", options.info}});
  }
  return xml_document("usqcdInfo", {{"version", "1.0"},
                                    {"plaq", fmt::format("{:.12f}", measured.plaquette)},
                                    {"linktr", fmt::format("{:.12f}", measured.link_trace)},
                                    {"info", options.info}});
}

}  // namespace

StartedBody start_lime(OutputFile& file, const Part& part, const Measured& measured, const WriteOptions& options) {
  const bool is_ildg = options.format == GaugeFormat::ildg, is_grid = options.format == GaugeFormat::grid;
  LimeWriter lime(file);
  if (is_grid) {
    write_grid_records(
        lime, part.extents,
        {.datatype = options.bits == 32 ? "GRID_F_LorentzVector4_ColourMatrix3" : "GRID_D_LorentzVector4_ColourMatrix3",
         .precision = options.bits == 32 ? 'F' : 'D',
         .colors = colors,
         .spins = 4,
         .typesize = 72 * options.bits / 8,
         .datacount = 1},
        {.plaquette = measured.plaquette, .link_trace = measured.link_trace, .info = options.info});
  } else {
    write_scidac_file_records(
        lime, part.extents,
        xml_document("title", options.require_special_unitary ? "gauge configuration written by kaon"
                                                              : "smeared links written by kaon"));
    write_scidac_record_records(lime,
                                {.datatype = options.bits == 32 ? "USQCD_F3_ColorMatrix" : "USQCD_D3_ColorMatrix",
                                 .precision = options.bits == 32 ? 'F' : 'D',
                                 .colors = colors,
                                 .typesize = 18 * options.bits / 8,
                                 .datacount = 4},
                                record_xml(measured, options));
  }
  if (is_ildg) {
    lime.add("ildg-format", ildg_format(part.extents, options.bits));
    lime.add("ildg-data-lfn", options.logical_file_name);
  }
  const GaugeBody body{.extents = part.extents, .bits = options.bits};
  lime.begin(is_ildg || is_grid ? "ildg-binary-data" : "scidac-binary-data", body.bytes());
  return {.pieces = {{lime.reserve(), body.numbers()}},
          .kind = ChecksumKind::scidac,
          .finish = [lime](const std::vector<Checksum>& checksums) mutable {
            finish_scidac_body(lime, checksums.front());
          }};
}

}  // namespace kaon::io
