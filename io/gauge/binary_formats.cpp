// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_formats.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

// MILC version 5: i32 magic 20103, four i32 extents, a 64-byte time stamp, i32 order of the sites (0: x fastest), u32
// sum29, u32 sum31, then float32 links, site by site, mu = x, y, z, t, all in the byte order that the magic shows.

// Two formats with a header of 24 bytes and all in little endian: four i32 extents, f64 plaquette (3 on a unit field),
// then f64 links of three rows.
// openQCD: extents T X Y Z; for each odd site (z fastest, then y, x, t) the eight links U_t(x), U_t(x-t), U_x(x), ...
// DD-alphaAMG: extents T Z Y X; for each site (x fastest) the links of directions t, z, y, x.

namespace kaon::io {

std::vector<ParsedGauge> parse_milc(const InputFile& file, const ReadOptions& options) {
  constexpr std::int32_t magic = 20103;
  constexpr std::size_t header_bytes = 96, stamp = 20, stamp_bytes = 64, order = 84, sum29 = 88, sum31 = 92;
  std::array<std::byte, header_bytes> bytes{};
  if (file.size() < 4) return {};
  file.read(std::span(bytes).first(4), 0);
  ByteOrder byte_order = ByteOrder::little;
  if (load<std::int32_t>(bytes.data(), byte_order) != magic) byte_order = ByteOrder::big;
  if (load<std::int32_t>(bytes.data(), byte_order) != magic) return {};

  file.read(bytes, 0);
  Coordinates extents{};
  for (std::size_t mu = 0; mu < extents.size(); ++mu) {
    extents[mu] = load<std::int32_t>(bytes.data() + 4 + 4 * mu, byte_order);
  }
  check_extents(file, extents, options);
  const auto site_order = load<std::int32_t>(bytes.data() + order, byte_order);
  require(site_order == 0, [&] {
    return fmt::format("{}: a MILC file with site order {}; only the natural order 0 can be read", file.path().string(),
                       site_order);
  });
  ParsedGauge parsed = parsed_gauge(GaugeFormat::milc, extents, 32, byte_order);
  parsed.body.offset = header_bytes;
  parsed.body.checksum = ChecksumKind::milc;
  parsed.header.checksum = Checksum{.kind = ChecksumKind::milc,
                                    .first = load<std::uint32_t>(bytes.data() + sum29, byte_order),
                                    .second = load<std::uint32_t>(bytes.data() + sum31, byte_order)};
  const std::string text = file.text(stamp, stamp_bytes);
  parsed.header.metadata.emplace_back("time stamp", text.substr(0, text.find('\0')));
  file.require_size(header_bytes + parsed.body.bytes(),
                    fmt::format("a MILC header of {} bytes and {} sites of {} bytes", header_bytes, parsed.body.items(),
                                parsed.body.item_bytes()));
  return {parsed};
}

std::vector<ParsedGauge> parse_raw(const InputFile& file, const ReadOptions& options) {
  constexpr std::size_t header_bytes = 24;
  constexpr int largest = 1 << 16;
  std::array<std::byte, header_bytes> bytes{};
  if (file.size() < header_bytes) return {};
  file.read(bytes, 0);
  std::array<std::int32_t, directions> stored{};
  for (std::size_t k = 0; k < stored.size(); ++k) {
    stored[k] = load<std::int32_t>(bytes.data() + 4 * k, ByteOrder::little);
    if (stored[k] < 1 || stored[k] > largest) return {};
  }
  const auto plaquette = load<double>(bytes.data() + 16, ByteOrder::little);
  if (!(std::abs(plaquette) <= 3.0 + 1e-6)) return {};

  const auto reading = [&](GaugeFormat format, const Coordinates& extents, const std::array<int, directions>& order) {
    check_extents(file, extents, {});
    ParsedGauge parsed = parsed_gauge(format, extents, 64, ByteOrder::little);
    parsed.body.offset = header_bytes;
    parsed.body.order = format == GaugeFormat::openqcd ? ItemOrder::odd_sites : ItemOrder::lexicographic;
    parsed.body.stored_directions = order;
    parsed.header.plaquette = StatedNumber{.value = plaquette / 3.0, .source = "its header"};
    file.require_size(header_bytes + parsed.body.bytes(),
                      fmt::format("an openQCD or DD-alphaAMG header of {} bytes and {} sites of 576 bytes",
                                  header_bytes, volume_of(extents)));
    return parsed;
  };
  const Coordinates openqcd{stored[1], stored[2], stored[3], stored[0]};
  const Coordinates dd_alphaamg{stored[3], stored[2], stored[1], stored[0]};
  std::vector<ParsedGauge> readings{reading(GaugeFormat::openqcd, openqcd, {3, 0, 1, 2}),
                                    reading(GaugeFormat::dd_alphaamg, dd_alphaamg, {3, 2, 1, 0})};
  std::erase_if(readings, [&](const ParsedGauge& parsed) {
    return (options.extents && parsed.header.extents != *options.extents) ||
           (options.format && parsed.header.format != *options.format);
  });
  if (readings.empty())
    check_extents(file, options.format == GaugeFormat::dd_alphaamg ? dd_alphaamg : openqcd, options);
  return readings;
}

}  // namespace kaon::io
