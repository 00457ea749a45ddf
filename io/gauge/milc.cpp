// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"
#include "io/gauge/gauge_formats.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <array>

// MILC version 5: i32 magic 20103, four i32 extents, a 64-byte time stamp, i32 order of the sites (0: x fastest), u32
// sum29, u32 sum31, then float32 links, site by site, mu = x, y, z, t, all in the byte order that the magic shows.

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

}  // namespace kaon::io
