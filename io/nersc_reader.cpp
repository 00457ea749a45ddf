// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"
#include "io/gauge_formats.hpp"
#include "su3.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

// NERSC archive: an ASCII header of lines KEY = VALUE between BEGIN_HEADER and END_HEADER, then the links, site by site
// (x fastest), mu = x, y, z, t, two (4D_SU3_GAUGE) or three (4D_SU3_GAUGE_3x3) rows of three complex numbers.

namespace kaon::io {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;
constexpr std::string_view opening = "BEGIN_HEADER", closing = "END_HEADER";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto from = text.find_first_not_of(blanks);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

/// The lines between BEGIN_HEADER and END_HEADER; `length` is where the body starts.
Lines header_lines(const InputFile& file, std::uint64_t& length) {
  constexpr std::uint64_t longest = 1 << 16;
  const std::string text = file.text(0, std::min(file.size(), longest));
  Lines lines;
  for (std::size_t at = text.find('\n'); at != text.npos;) {
    const std::size_t end = text.find('\n', at + 1);
    if (end == text.npos) break;
    const std::string_view line = trimmed(std::string_view(text).substr(at + 1, end - at - 1));
    if (line == closing) {
      length = end + 1;
      return lines;
    }
    const auto equals = line.find('=');
    if (equals != line.npos) lines.emplace_back(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    at = end;
  }
  throw Error(fmt::format("{} is truncated: its NERSC header has no END_HEADER line", file.path().string()));
}

/// The lines by key, with errors that name the file.
class NerscHeader {
 public:
  NerscHeader(const InputFile& file, const Lines& lines) : file_(file), lines_(lines) {}

  std::optional<std::string> find(std::string_view key) const {
    const auto line = std::find_if(lines_.begin(), lines_.end(), [&](const auto& entry) { return entry.first == key; });
    return line == lines_.end() ? std::nullopt : std::optional(line->second);
  }

  std::string at(std::string_view key) const {
    const auto value = find(key);
    require(value.has_value(),
            [&] { return fmt::format("{}: its NERSC header has no line {}", file_.path().string(), key); });
    return *value;
  }

  template <class Integer>
  Integer integer(std::string_view key, int base = 10) const {
    const std::string text = at(key);
    const std::string_view digits = std::string_view(text).substr(base == 16 && text.starts_with("0x") ? 2 : 0);
    Integer value{};
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, base);
    require(result.ec == std::errc() && result.ptr == end, [&] {
      return fmt::format("{}: its NERSC header says {} = {}, which is no number", file_.path().string(), key, text);
    });
    return value;
  }

  std::optional<StatedNumber> number(std::string_view key) const {
    const auto text = find(key);
    if (!text) return std::nullopt;
    const auto value = stated_number(*text);
    require(value.has_value(), [&] {
      return fmt::format("{}: its NERSC header says {} = {}, which is no number", file_.path().string(), key, *text);
    });
    return value;
  }

 private:
  const InputFile& file_;
  const Lines& lines_;
};

/// Is the first row of the first link of unit length when read like this?
bool starts_with_a_unit_row(const InputFile& file, const GaugeBody& body) {
  std::vector<std::byte> bytes(body.link_bytes());
  std::array<Complex, 9> link;
  file.read(bytes, body.offset);
  decode_link(link.data(), bytes.data(), body);
  return std::abs(std::norm(link[0]) + std::norm(link[1]) + std::norm(link[2]) - 1.0) < 1e-3;
}

int stored_rows(const InputFile& file, const std::string& datatype) {
  if (datatype == "4D_SU3_GAUGE") return 2;
  require(datatype == "4D_SU3_GAUGE_3x3", [&] {
    return fmt::format("{}: DATATYPE = {} in its NERSC header is none of 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3",
                       file.path().string(), datatype);
  });
  return 3;
}

}  // namespace

std::vector<ParsedGauge> parse_nersc(const InputFile& file, const ReadOptions& options) {
  if (file.size() < opening.size() || file.text(0, opening.size()) != opening) return {};
  std::uint64_t length = 0;
  const Lines lines = header_lines(file, length);
  const NerscHeader header(file, lines);

  Coordinates extents{};
  for (std::size_t mu = 0; mu < extents.size(); ++mu) {
    extents[mu] = header.integer<int>(fmt::format("DIMENSION_{}", mu + 1));
  }
  check_extents(file, extents, options);
  const std::string floating_point = header.at("FLOATING_POINT");
  const bool is_little = floating_point.ends_with("LITTLE"), is_big = floating_point.ends_with("BIG");
  const std::string size = floating_point.substr(0, floating_point.size() - (is_little ? 6 : is_big ? 3 : 0));
  require(size == "IEEE32" || size == "IEEE64", [&] {
    return fmt::format(
        "{}: FLOATING_POINT = {} in its NERSC header is none of IEEE32, IEEE32BIG, IEEE32LITTLE, IEEE64, IEEE64BIG, "
        "IEEE64LITTLE",
        file.path().string(), floating_point);
  });

  ParsedGauge parsed = parsed_gauge(GaugeFormat::nersc, extents, size == "IEEE32" ? 32 : 64,
                                    is_little ? ByteOrder::little : ByteOrder::big);
  parsed.body.offset = length;
  parsed.body.rows = parsed.header.rows = stored_rows(file, header.at("DATATYPE"));
  parsed.body.checksum = ChecksumKind::nersc;
  file.require_size(length + parsed.body.bytes(), fmt::format("a NERSC header of {} bytes and {} sites of {} bytes",
                                                              length, parsed.body.items(), parsed.body.item_bytes()));
  if (!is_little && !is_big && !starts_with_a_unit_row(file, parsed.body)) {
    // Codes disagree about the byte order of a plain IEEE32: the first link decides.
    parsed.body.byte_order = parsed.header.byte_order = ByteOrder::little;
  }
  if (header.find("CHECKSUM")) {
    parsed.header.checksum = Checksum{.first = header.integer<std::uint32_t>("CHECKSUM", 16)};
  }
  parsed.header.plaquette = header.number("PLAQUETTE");
  parsed.header.link_trace = header.number("LINK_TRACE");
  for (std::size_t mu = 0; mu < extents.size(); ++mu) {
    parsed.header.boundary[mu] = header.find(fmt::format("BOUNDARY_{}", mu + 1)).value_or("");
  }
  parsed.header.metadata = lines;
  return {parsed};
}

}  // namespace kaon::io
