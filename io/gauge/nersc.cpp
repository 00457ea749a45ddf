// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_formats.hpp"
#include "io/header_text.hpp"
#include "su3.hpp"

#include <kaon/core/error.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// NERSC archive: an ASCII header of lines KEY = VALUE between BEGIN_HEADER and END_HEADER, then the links, site by site
// (x fastest), mu = x, y, z, t, two (4D_SU3_GAUGE) or three (4D_SU3_GAUGE_3x3) rows of three complex numbers.

namespace kaon::io {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;
constexpr std::string_view opening = "BEGIN_HEADER", closing = "END_HEADER";

/// The value without quotes around it.
std::string_view unquoted(std::string_view value) {
  const bool is_quoted =
      value.size() > 1 && value.front() == value.back() && (value.front() == '"' || value.front() == '\'');
  return is_quoted ? trimmed(value.substr(1, value.size() - 2)) : value;
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
    if (capitals(line) == closing) {
      length = end + 1;
      return lines;
    }
    const auto equals = line.find('=');
    if (equals != line.npos)
      lines.emplace_back(trimmed(line.substr(0, equals)), unquoted(trimmed(line.substr(equals + 1))));
    at = end;
  }
  throw Error(fmt::format("{} is truncated: its NERSC header has no END_HEADER line", file.path().string()));
}

/// The lines by key, in capitals or not, with errors that name the file.
class NerscHeader {
 public:
  NerscHeader(const InputFile& file, const Lines& lines) : file_(file), lines_(lines) {}

  std::optional<std::string> find(std::string_view key) const {
    std::optional<std::string> found;
    for (const auto& [name, value] : lines_) {
      if (capitals(name) != key) continue;
      require(!found || *found == value, [&] {
        return fmt::format("{}: its NERSC header says {} = {} and {} = {}", file_.path().string(), key, *found, key,
                           value);
      });
      found = value;
    }
    return found;
  }

  std::string at(std::string_view key) const {
    const auto value = find(key);
    require(value.has_value(),
            [&] { return fmt::format("{}: its NERSC header has no line {}", file_.path().string(), key); });
    return *value;
  }

  int integer(const std::string& key) const { return parsed(key, number_of<int>(at(key))); }

  std::optional<Checksum> checksum(const std::string& key) const {
    const auto text = find(key);
    return text ? std::optional(Checksum{.first = parsed(key, hexadecimal_of(*text))}) : std::nullopt;
  }

  std::optional<StatedNumber> number(const std::string& key) const {
    const auto text = find(key);
    return text ? std::optional(stated_number(file_, key + " in its NERSC header", *text)) : std::nullopt;
  }

 private:
  template <class Number>
  Number parsed(const std::string& key, const std::optional<Number>& number) const {
    require(number.has_value(), [&] {
      return fmt::format("{}: its NERSC header says {} = {}, which is no number", file_.path().string(), key, at(key));
    });
    return *number;
  }

  const InputFile& file_;
  const Lines& lines_;
};

/// The value of FLOATING_POINT, in other spellings too: IEEE64BIG, "IEEE 64 little", ieee64_big_endian.
struct FloatingPoint {
  int bits;
  std::optional<ByteOrder> order{};  ///< if it is stated
};

FloatingPoint floating_point(const InputFile& file, const std::string& stated) {
  std::string name = capitals(stated);
  std::erase_if(name, [](char c) { return is_blank(c) || c == '_' || c == '-'; });
  if (name.ends_with("ENDIAN")) name.resize(name.size() - 6);
  for (const int bits : {32, 64}) {
    const std::string size = fmt::format("IEEE{}", bits);
    if (name == size) return {bits};
    if (name == size + "BIG") return {bits, ByteOrder::big};
    if (name == size + "LITTLE") return {bits, ByteOrder::little};
  }
  throw Error(fmt::format(
      "{}: FLOATING_POINT = {} in its NERSC header is none of IEEE32, IEEE32BIG, IEEE32LITTLE, IEEE64, IEEE64BIG, "
      "IEEE64LITTLE",
      file.path().string(), stated));
}

/// Is the first row of the first link of unit length when read like this?
bool starts_with_a_unit_row(const InputFile& file, const GaugeBody& body) {
  std::vector<std::byte> bytes(body.link_bytes());
  std::array<Complex, 9> link;
  file.read(bytes, body.offset);
  decode_link(link.data(), bytes.data(), body);
  return std::abs(std::norm(link[0]) + std::norm(link[1]) + std::norm(link[2]) - 1.0) < 1e-3;
}

int stored_rows(const InputFile& file, const std::string& datatype) {
  const std::string name = capitals(datatype);
  if (name == "4D_SU3_GAUGE") return 2;
  require(name == "4D_SU3_GAUGE_3X3", [&] {
    return fmt::format("{}: DATATYPE = {} in its NERSC header is none of 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3",
                       file.path().string(), datatype);
  });
  return 3;
}

}  // namespace

std::vector<ParsedGauge> parse_nersc(const InputFile& file, const ReadOptions& options) {
  if (file.size() < opening.size() || capitals(file.text(0, opening.size())) != opening) return {};
  std::uint64_t length = 0;
  const Lines lines = header_lines(file, length);
  const NerscHeader header(file, lines);

  Coordinates extents{};
  for (std::size_t mu = 0; mu < extents.size(); ++mu) {
    extents[mu] = header.integer(fmt::format("DIMENSION_{}", mu + 1));
  }
  check_extents(file, extents, options);
  const FloatingPoint numbers = floating_point(file, header.at("FLOATING_POINT"));
  ParsedGauge parsed = parsed_gauge(GaugeFormat::nersc, extents, numbers.bits, numbers.order.value_or(ByteOrder::big));
  parsed.body.offset = length;
  parsed.body.rows = parsed.header.rows = stored_rows(file, header.at("DATATYPE"));
  parsed.body.checksum = ChecksumKind::nersc;
  file.require_size(length + parsed.body.bytes(), fmt::format("a NERSC header of {} bytes and {} sites of {} bytes",
                                                              length, parsed.body.items(), parsed.body.item_bytes()));
  if (!numbers.order && !starts_with_a_unit_row(file, parsed.body)) {
    // Codes disagree about the byte order of a plain IEEE32: the first link decides.
    parsed.body.byte_order = parsed.header.byte_order = ByteOrder::little;
  }
  parsed.header.checksum = header.checksum("CHECKSUM");
  parsed.header.plaquette = header.number("PLAQUETTE");
  parsed.header.link_trace = header.number("LINK_TRACE");
  for (std::size_t mu = 0; mu < extents.size(); ++mu) {
    parsed.header.boundary[mu] = header.find(fmt::format("BOUNDARY_{}", mu + 1)).value_or("");
  }
  parsed.header.metadata = lines;
  return {parsed};
}

StartedBody start_nersc(OutputFile& file, const Part& part, const Measured& measured, const WriteOptions& options) {
  const std::string date = fmt::format("{:%a %b %d %H:%M:%S %Y} UTC", fmt::gmtime(std::time(nullptr)));
  std::string header = fmt::format("BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = {}\nSTORAGE_FORMAT = 1.0\n",
                                   options.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3");
  for (std::size_t mu = 0; mu < part.extents.size(); ++mu) {
    header += fmt::format("DIMENSION_{} = {}\n", mu + 1, part.extents[mu]);
  }
  header += fmt::format("LINK_TRACE = {:.12f}\nPLAQUETTE = {:.12f}\n", measured.link_trace, measured.plaquette);
  for (std::size_t mu = 0; mu < part.extents.size(); ++mu) header += fmt::format("BOUNDARY_{} = PERIODIC\n", mu + 1);
  header += "CHECKSUM = ";
  const std::uint64_t checksum_offset = header.size();
  header += fmt::format(
      "00000000\nENSEMBLE_ID = {}\nENSEMBLE_LABEL = {}\nSEQUENCE_NUMBER = {}\nCREATOR = kaon\nCREATION_DATE = {}\n"
      "ARCHIVE_DATE = {}\nFLOATING_POINT = IEEE{}{}\nEND_HEADER\n",
      options.ensemble_id, options.ensemble_label, options.sequence_number, date, date, options.bits,
      options.byte_order == ByteOrder::big ? "BIG" : "LITTLE");
  file.write(header);

  const GaugeBody body{
      .extents = part.extents, .bits = options.bits, .rows = options.rows, .byte_order = options.byte_order};
  return {.pieces = {{file.reserve(body.bytes()), body.numbers()}},
          .kind = ChecksumKind::nersc,
          .finish = [&file, checksum_offset](const std::vector<Checksum>& checksums) {
            file.rewrite(checksum_offset, to_string(checksums.front()));
          }};
}

}  // namespace kaon::io
