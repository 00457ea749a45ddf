// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/scidac.hpp"
#include "io/gpt_format.hpp"
#include "io/header_text.hpp"

#include <kaon/core/error.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace kaon::io {
namespace {

std::uint32_t hexadecimal(const Xml& xml, std::string_view tag) {
  const std::string text = xml.value(tag).value_or("");
  const auto number = hexadecimal_of(text);
  require(number.has_value(),
          [&] { return fmt::format("{} is {}, which is no hexadecimal number", xml.place_of(tag), excerpt(text)); });
  return *number;
}

/// Four numbers separated by blanks.
Coordinates dimensions(const Xml& xml, std::string_view tag, const std::string& text) {
  const auto refuse = [&] {
    return fmt::format("{} is {}, which is not four numbers", xml.place_of(tag), excerpt(text));
  };
  Coordinates extents{};
  const auto found = words(text);
  require(found.size() == extents.size(), refuse);
  for (std::size_t mu = 0; mu < extents.size(); ++mu) {
    const auto extent = number_of<int>(found[mu]);
    require(extent.has_value(), refuse);
    extents[mu] = *extent;
  }
  return extents;
}

bool is_binary(const LimeRecord& record) { return record.type.ends_with("binary-data"); }

/// Does the record say what others hold, or their checksum?
bool describes_others(const LimeRecord& record) {
  return record.type.starts_with("scidac-private-") || record.type == "scidac-checksum" ||
         record.type == "ildg-format" || record.type == "gpt-format" || record.type == "etmc-propagator-format";
}

/// The text of a record, or nothing if it is long or not printable. Throws for such a one that describes others.
std::optional<std::string> printable_text(const InputFile& file, const LimeRecord& record) {
  if (is_binary(record)) return std::nullopt;
  if (describes_others(record)) {
    std::string text = lime_text(file, record);
    require(is_text(text),
            [&] { return fmt::format("{} is damaged: its record {} is no text", file.path().string(), record.type); });
    return text;
  }
  if (record.length > longest_text) return std::nullopt;
  std::string text = file.text(record.offset, record.length);
  text.resize(text.find_last_not_of('\0') + 1);
  return is_text(text) ? std::optional(std::move(text)) : std::nullopt;
}

/// A number that files may leave out or leave empty: then 0.
int stated_count(const Xml& xml, std::string_view tag) {
  return xml.value(tag).value_or("").empty() ? 0 : xml.integer(tag);
}

SciDacRecordInfo record_info(const Xml& xml) {
  SciDacRecordInfo info{.datatype = xml.value("datatype").value_or(""),
                        .colors = stated_count(xml, "colors"),
                        .spins = stated_count(xml, "spins"),
                        .typesize = xml.integer("typesize"),
                        .datacount = xml.integer("datacount")};
  if (info.spins == 0 && capitals(info.datatype).ends_with("COLORVECTOR")) info.spins = 1;
  // Fields of integers have other words, which no reader takes.
  const std::string precision = capitals(xml.value("precision").value_or(""));
  if (!precision.empty()) info.precision = precision.size() == 1 ? precision.front() : '?';
  return info;
}

/// Finds the binary record that another record describes (`SciDacField`).
class Messages {
 public:
  explicit Messages(const std::vector<LimeRecord>& records) : records_(records) {
    for (std::size_t place = 0; place < records.size(); ++place) {
      const bool begins = place == 0 || records[place].begins_message || records[place - 1].ends_message;
      first_.push_back(begins ? place : first_.back());
      if (is_binary(records[place])) binaries_.push_back(place);
    }
  }

  /// Number of the only binary record; there must be exactly one.
  std::size_t described_by(std::size_t place) const {
    const auto next = std::lower_bound(binaries_.begin(), binaries_.end(), place);
    const bool is_one_behind = next != binaries_.end(), is_one_before = next != binaries_.begin();
    const bool behind = is_one_behind && first_[*next] == first_[place];
    const bool before = is_one_before && first_[*(next - 1)] == first_[place];
    bool describes_next = behind;
    if (behind && before) {
      describes_next = begins_with(records_[place].type, first_[place]);
    } else if (!behind && !before) {
      describes_next = records_[place].type == "scidac-checksum" ? !is_one_before : is_one_behind;
    }
    return static_cast<std::size_t>(next - binaries_.begin()) - (describes_next ? 0 : 1);
  }

 private:
  /// Does a record of this type are in front of the first binary record of the message?
  bool begins_with(const std::string& type, std::size_t first) const {
    for (; !is_binary(records_[first]); ++first) {
      if (records_[first].type == type) return true;
    }
    return false;
  }

  const std::vector<LimeRecord>& records_;
  std::vector<std::size_t> first_{};     ///< for each record the first one of its message
  std::vector<std::size_t> binaries_{};  ///< places of the binary records
};

void take_extents(const InputFile& file, SciDacFile& out, const std::string& record, const Coordinates& stated) {
  require(!out.extents || *out.extents == stated, [&] {
    return fmt::format("{} contradicts itself: extents {} in a record {}, {} before", file.path().string(),
                       kaon::to_string(stated), record, kaon::to_string(*out.extents));
  });
  out.extents = stated;
}

/// The error for one of the files NAME.vol0000, NAME.vol0001 ... that QIO writes in its formats of several files.
std::string part_file(const InputFile& file, std::string_view reason) {
  return fmt::format(
      "{} is one of QIO's part files NAME.vol0000, NAME.vol0001 and so on ({}), each with a part of the sites: kaon "
      "reads "
      "one file; let the code that wrote them write a single file (QIO_SINGLEFILE)",
      file.path().string(), reason);
}

/// Takes the extents that scidac-private-file-xml or grid-format state. Grid's fields are often without the former; gpt
/// leaves them out of the latter.
void take_extents(const InputFile& file, SciDacFile& out, const std::string& record, const Xml& xml) {
  require(!xml.has("volfmt") || xml.integer("volfmt") == 0, [&] { return part_file(file, "its volfmt is not 0"); });
  const bool is_grid = record == "grid-format";
  const char* tag = is_grid ? "dimension" : "dims";
  auto text = xml.value(tag);
  if (!text) return;
  if (is_grid) text = fmt::format("{}", fmt::join(Xml(file.path(), record, *text).values("elem"), " "));
  if (is_grid && text->empty()) return;
  take_extents(file, out, record, dimensions(xml, tag, *text));
}

void take_gpt_format(const InputFile& file, SciDacFile& out, SciDacField& field, const Xml& xml) {
  const GptFormat format = gpt_format(xml);
  take_extents(file, out, "gpt-format", format.extents);
  field.info = format.info;
}

/// tmLQCD (cfc9c118) states lx in the place of lz: the length of the body shows it.
void take_tmlqcd_format(const InputFile& file, SciDacFile& out, SciDacField& field, const Xml& xml) {
  const std::string kind = capitals(xml.first("field"));
  const int bits = xml.integer("precision"), flavors = xml.integer("flavours");
  require(kind == "DIRACFERMION" && (bits == 32 || bits == 64), [&] {
    return fmt::format("{} holds {} of {} bits, which is no propagator of tmLQCD", file.path().string(), excerpt(kind),
                       bits);
  });
  field.info = {.datatype = std::string(tmlqcd_datatype),
                .precision = bits == 32 ? 'F' : 'D',
                .colors = 3,
                .spins = 4,
                .typesize = 24 * bits / 8,
                .datacount = flavors};
  Coordinates extents{xml.integer("lx"), xml.integer("ly"), 1, xml.integer("lt")};
  const bool positive = *std::ranges::min_element(extents) > 0 && *std::ranges::max_element(extents) < (1 << 16);
  const std::uint64_t slice_bytes =
      positive ? static_cast<std::uint64_t>(volume_of(extents)) * static_cast<std::uint64_t>(field.info->typesize) : 1;
  require(positive && field.binary.length % slice_bytes == 0 && field.binary.length / slice_bytes < (1 << 16), [&] {
    return fmt::format("{} is damaged: its record {} has {} bytes, and no field of {} x {} x lz x {} sites",
                       file.path().string(), field.binary.type, field.binary.length, extents[0], extents[1],
                       extents[3]);
  });
  extents[2] = static_cast<int>(field.binary.length / slice_bytes);
  take_extents(file, out, "etmc-propagator-format", extents);
}

void take_checksum(const InputFile& file, SciDacField& field, const Xml& xml) {
  const Checksum checksum{
      .kind = ChecksumKind::scidac, .first = hexadecimal(xml, "suma"), .second = hexadecimal(xml, "sumb")};
  require(!field.checksum || *field.checksum == checksum, [&] {
    return fmt::format("{} contradicts itself: two records scidac-checksum state {} and {} of its record {} at byte {}",
                       file.path().string(), to_string(*field.checksum), to_string(checksum), field.binary.type,
                       field.binary.offset);
  });
  field.checksum = checksum;
}

}  // namespace

void SciDacFile::warn(const InputFile& file, const std::string& text) {
  notes.push_back(text);
  file.warn(text);
}

SciDacFile scidac_file(const InputFile& file) {
  SciDacFile out;
  const std::vector<LimeRecord> records = lime_records(file);
  const auto has = [&](std::string_view type) { return std::ranges::count(records, type, &LimeRecord::type) > 0; };
  // The first part file has the records of the field, too.
  require(!has("scidac-sitelist") || has("scidac-private-file-xml"),
          [&] { return part_file(file, "it has a list of sites and no extents"); });
  const Messages messages(records);
  for (const LimeRecord& record : records) {
    if (is_binary(record)) out.fields.push_back({.binary = record});
  }
  bool has_file_xml = false;
  for (std::size_t place = 0; place < records.size(); ++place) {
    const LimeRecord& record = records[place];
    auto text = printable_text(file, record);
    if (!text) continue;
    const auto xml = [&] { return Xml(file.path(), record.type, *text); };
    const auto users_xml = [&] {
      Xml found = Xml::of_user(file.path(), record.type, *text);
      if (!found.problem().empty()) out.warn(file, found.problem());
      return found;
    };
    SciDacField none;
    SciDacField& field = out.fields.empty() ? none : out.fields[messages.described_by(place)];
    if (record.type == "scidac-private-file-xml") {
      take_extents(file, out, record.type, xml());
    } else if (record.type == "scidac-private-record-xml") {
      const SciDacRecordInfo info = record_info(xml());
      // gpt writes zeros, and a record gpt-format.
      if (info.typesize != 0 || info.datacount != 0) field.info = info;
    } else if (record.type == "gpt-format") {
      take_gpt_format(file, out, field, xml());
    } else if (record.type == "etmc-propagator-format") {
      take_tmlqcd_format(file, out, field, xml());
    } else if (record.type == "ildg-format") {
      field.ildg_format = *text;
    } else if (record.type == "scidac-checksum") {
      take_checksum(file, field, xml());
    } else {
      if (record.type == "scidac-record-xml") field.record = users_xml();
      if (record.type == "scidac-file-xml" && !has_file_xml) out.file_xml = users_xml();
      if (record.type == "scidac-file-xml") has_file_xml = true;
      if (record.type == "grid-format") take_extents(file, out, record.type, xml());
      out.texts.emplace_back(record.type, std::move(*text));
    }
  }
  return out;
}

std::string scidac_date() { return fmt::format("{:%a %b %d %H:%M:%S %Y} UTC", fmt::gmtime(std::time(nullptr))); }

void write_scidac_file_records(LimeWriter& lime, const Coordinates& extents, std::string_view file_xml) {
  lime.add("scidac-private-file-xml",
           xml_document("scidacFile", {{"version", "1.1"},
                                       {"spacetime", std::to_string(extents.size())},
                                       {"dims", fmt::format("{} ", fmt::join(extents, " "))},
                                       {"volfmt", "0"}}),
           {.begins = true});
  lime.add("scidac-file-xml", file_xml, {.ends = true});
}

std::string scidac_record_xml(const SciDacRecordInfo& info, const std::optional<ScidacCube>& cube) {
  XmlElements elements{{"version", "1.1"}, {"date", scidac_date()}, {"recordtype", cube ? "2" : "0"}};
  if (cube) {
    elements.emplace_back("spacetime", "4");
    elements.emplace_back("hyperlower", fmt::format("{} ", fmt::join(cube->lower, " ")));
    elements.emplace_back("hyperupper", fmt::format("{} ", fmt::join(cube->upper, " ")));
  }
  elements.emplace_back("datatype", info.datatype);
  elements.emplace_back("precision", std::string(1, info.precision));
  if (info.colors > 0) elements.emplace_back("colors", std::to_string(info.colors));
  if (info.spins > 0) elements.emplace_back("spins", std::to_string(info.spins));
  elements.emplace_back("typesize", std::to_string(info.typesize));
  elements.emplace_back("datacount", std::to_string(info.datacount));
  return xml_document("scidacRecord", elements);
}

void write_scidac_record_records(LimeWriter& lime, const SciDacRecordInfo& info, std::string_view record_xml,
                                 const std::optional<ScidacCube>& cube) {
  lime.add("scidac-private-record-xml", scidac_record_xml(info, cube), {.begins = true});
  lime.add("scidac-record-xml", record_xml);
}

void write_scidac_checksum(LimeWriter& lime, const Checksum& checksum) {
  lime.add("scidac-checksum",
           xml_document("scidacChecksum", {{"version", "1.0"},
                                           {"suma", fmt::format("{:8x}", checksum.first)},
                                           {"sumb", fmt::format("{:8x}", checksum.second)}}),
           {.ends = true});
}

}  // namespace kaon::io
