// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"

#include <kaon/io/checksum.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>

namespace kaon::io {
namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[0][b] is the remainder of byte b, tables[k][b] that of b followed by k zero bytes: eight bytes are then
/// reduced by eight look-ups ("slicing by 8": Kounavis and Berry, IEEE Trans. Comput. 57 (2008) 1550).
constexpr Table tables = [] {
  Table table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0xEDB88320u : 0u);
    table[0][byte] = remainder;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      table[k][byte] = (table[k - 1][byte] >> 8) ^ table[0][table[k - 1][byte] & 0xff];
    }
  }
  return table;
}();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint32_t low = crc ^ load<std::uint32_t>(bytes.data(), ByteOrder::little);
    const auto high = load<std::uint32_t>(bytes.data() + 4, ByteOrder::little);
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^ tables[4][low >> 24] ^
          tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^ tables[1][(high >> 16) & 0xff] ^
          tables[0][high >> 24];
  }
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return ~crc;
}

void Checksum::add(std::uint64_t item, std::span<const std::byte> bytes, std::size_t item_bytes, ByteOrder order) {
  if (kind == ChecksumKind::scidac) {
    for (; bytes.size() >= item_bytes && item_bytes > 0; bytes = bytes.subspan(item_bytes), ++item) {
      const std::uint32_t crc = crc32(bytes.first(item_bytes));
      first ^= std::rotl(crc, static_cast<int>(item % 29));
      second ^= std::rotl(crc, static_cast<int>(item % 31));
    }
    return;
  }
  std::uint64_t k = item * (item_bytes / 4);
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4, ++k) {
    const auto word = load<std::uint32_t>(bytes.data() + at, order);
    if (kind == ChecksumKind::nersc) {
      first += word;
    } else {
      first ^= std::rotl(word, static_cast<int>(k % 29));
      second ^= std::rotl(word, static_cast<int>(k % 31));
    }
  }
}

void Checksum::combine(const Checksum& part) {
  if (kind == ChecksumKind::nersc) {
    first += part.first;
  } else {
    first ^= part.first;
    second ^= part.second;
  }
}

std::string to_string(const Checksum& checksum) {
  switch (checksum.kind) {
    case ChecksumKind::nersc:
      return fmt::format("{:08x}", checksum.first);
    case ChecksumKind::scidac:
      return fmt::format("suma {:08x} sumb {:08x}", checksum.first, checksum.second);
    case ChecksumKind::milc:
      break;
  }
  return fmt::format("sum29 {:08x} sum31 {:08x}", checksum.first, checksum.second);
}

}  // namespace kaon::io
