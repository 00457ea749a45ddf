// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/scidac.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kaon::io {
namespace {

constexpr std::string_view xml_start = R"(<?xml version="1.0" encoding="UTF-8"?>)";

/// A number in hexadecimal digits, padded or not, with or without 0x.
std::uint32_t hexadecimal(const InputFile& file, std::string_view xml, std::string_view tag) {
  const std::string text = xml_value(xml, tag).value_or("");
  const std::string_view digits =
      std::string_view(text).substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0);
  std::uint32_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, 16);
  require(result.ec == std::errc() && result.ptr == end, [&] {
    return fmt::format("{}: its scidac-checksum record says {} = '{}', which is no hexadecimal number",
                       file.path().string(), tag, text);
  });
  return value;
}

/// Four numbers separated by blanks.
Coordinates dimensions(const InputFile& file, const std::string& text) {
  const auto refuse = [&] {
    return fmt::format("{}: dims '{}' in its scidac-private-file-xml record are not four numbers", file.path().string(),
                       text);
  };
  Coordinates extents{};
  std::string_view rest = text;
  for (int& extent : extents) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    const auto read = static_cast<std::size_t>(result.ptr - rest.data());
    require(result.ec == std::errc() && (read == rest.size() || rest[read] == ' '), refuse);
    rest.remove_prefix(read);
  }
  require(rest.find_first_not_of(' ') == rest.npos, refuse);
  return extents;
}

bool is_binary(const LimeRecord& record) { return record.type.ends_with("binary-data"); }

/// Does the record say what others hold, or their checksum?
bool describes_others(const LimeRecord& record) {
  return record.type.starts_with("scidac-private-") || record.type == "scidac-checksum" || record.type == "ildg-format";
}

/// The text of a record, or nothing where it is long or not printable. Throws for such a one that describes others.
std::optional<std::string> printable_text(const InputFile& file, const LimeRecord& record) {
  constexpr std::uint64_t longest = 1 << 20;
  if (is_binary(record)) return std::nullopt;
  if (describes_others(record)) {
    std::string text = lime_text(file, record);
    require(is_text(text),
            [&] { return fmt::format("{} is damaged: its record {} is no text", file.path().string(), record.type); });
    return text;
  }
  if (record.length > longest) return std::nullopt;
  std::string text = file.text(record.offset, record.length);
  text.resize(text.find_last_not_of('\0') + 1);
  return is_text(text) ? std::optional(std::move(text)) : std::nullopt;
}

/// A number that files may leave out or leave empty: then 0.
int stated_count(const std::string& xml, std::string_view tag) {
  const std::string text = xml_value(xml, tag).value_or("");
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

SciDacRecordInfo record_info(const InputFile& file, const std::string& xml) {
  SciDacRecordInfo info{.datatype = xml_value(xml, "datatype").value_or(""),
                        .typesize = xml_integer(file, xml, "typesize"),
                        .datacount = xml_integer(file, xml, "datacount")};
  const std::string precision = xml_value(xml, "precision").value_or("");
  if (!precision.empty()) info.precision = precision.front();
  info.colors = stated_count(xml, "colors");
  info.spins = stated_count(xml, "spins");
  return info;
}

}  // namespace

SciDacFile scidac_file(const InputFile& file) {
  SciDacFile out;
  SciDacField next;  // text records stand before the binary record that they describe
  for (const LimeRecord& record : lime_records(file)) {
    if (is_binary(record)) {
      next.binary = record;
      out.fields.push_back(std::move(next));
      next = {};
      continue;
    }
    const auto text = printable_text(file, record);
    if (!text) continue;
    if (record.type == "scidac-private-file-xml") {
      require(xml_value(*text, "volfmt").value_or("0") == "0", [&] {
        return fmt::format("{} is one part of a field split into several files (volfmt is not 0); join them first",
                           file.path().string());
      });
      if (const auto dims = xml_value(*text, "dims")) out.extents = dimensions(file, *dims);
    } else if (record.type == "scidac-private-record-xml") {
      next.info = record_info(file, *text);
    } else if (record.type == "ildg-format") {
      out.ildg_format = *text;
    } else if (record.type == "scidac-checksum") {
      if (!out.fields.empty()) {
        out.fields.back().checksum = Checksum{.kind = ChecksumKind::scidac,
                                              .first = hexadecimal(file, *text, "suma"),
                                              .second = hexadecimal(file, *text, "sumb")};
      }
    } else {
      if (record.type == "scidac-record-xml") next.record_xml = *text;
      out.texts.emplace_back(record.type, *text);
    }
  }
  return out;
}

int xml_integer(const InputFile& file, std::string_view xml, std::string_view tag) {
  const std::string text = xml_value(xml, tag).value_or("");
  int value = 0;
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  require(result.ec == std::errc() && result.ptr == end, [&] {
    return fmt::format("{}: <{}> in its XML is '{}', which is no whole number", file.path().string(), tag, text);
  });
  return value;
}

std::string scidac_date() { return fmt::format("{:%a %b %d %H:%M:%S %Y} UTC", fmt::gmtime(std::time(nullptr))); }

void write_scidac_file_records(LimeWriter& lime, const Coordinates& extents, std::string_view file_xml) {
  lime.add("scidac-private-file-xml",
           fmt::format("{}<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>{} {} {} {} </dims>"
                       "<volfmt>0</volfmt></scidacFile>",
                       xml_start, extents[0], extents[1], extents[2], extents[3]),
           {.begins = true});
  lime.add("scidac-file-xml", fmt::format("{}{}", xml_start, file_xml), {.ends = true});
}

void write_scidac_record_records(LimeWriter& lime, const SciDacRecordInfo& info, std::string_view record_xml) {
  const auto stated = [](const char* tag, int count) {
    return count > 0 ? xml_element(tag, std::to_string(count)) : std::string();
  };
  lime.add("scidac-private-record-xml",
           fmt::format("{}<scidacRecord><version>1.1</version><date>{}</date><recordtype>0</recordtype>"
                       "<datatype>{}</datatype><precision>{}</precision>{}{}<typesize>{}</typesize>"
                       "<datacount>{}</datacount></scidacRecord>",
                       xml_start, scidac_date(), info.datatype, info.precision, stated("colors", info.colors),
                       stated("spins", info.spins), info.typesize, info.datacount),
           {.begins = true});
  lime.add("scidac-record-xml", fmt::format("{}{}", xml_start, record_xml));
}

void write_scidac_checksum(LimeWriter& lime, const Checksum& checksum) {
  lime.add("scidac-checksum",
           fmt::format("{}<scidacChecksum><version>1.0</version><suma>{:x}</suma><sumb>{:x}</sumb></scidacChecksum>",
                       xml_start, checksum.first, checksum.second),
           {.ends = true});
}

}  // namespace kaon::io
