// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"

#include <kaon/io/checksum.hpp>

#include <fmt/format.h>
#include <libdeflate.h>

#include <bit>

namespace kaon::io {

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
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
  if (kind == ChecksumKind::pyquda) {
    for (; bytes.size() >= item_bytes && item_bytes > 0; bytes = bytes.subspan(item_bytes), ++item) {
      std::uint32_t word = 0;
      for (std::size_t k = 0; k < item_bytes; k += 4) word ^= load<std::uint32_t>(bytes.data() + k, order);
      first ^= std::rotl(word, static_cast<int>(item % 29));
      second ^= std::rotl(word, static_cast<int>(item % 31));
    }
    return;
  }
  const auto word = [&](std::size_t k) { return load<std::uint32_t>(bytes.data() + 4 * k, order); };
  const std::size_t words = bytes.size() / 4;
  if (kind == ChecksumKind::nersc) {
    for (std::size_t k = 0; k < words; ++k) first += word(k);
    return;
  }
  const std::uint64_t before = item * (item_bytes / 4);
  auto by_29 = static_cast<int>(before % 29), by_31 = static_cast<int>(before % 31);
  for (std::size_t k = 0; k < words; ++k) {
    first ^= std::rotl(word(k), by_29);
    second ^= std::rotl(word(k), by_31);
    if (++by_29 == 29) by_29 = 0;
    if (++by_31 == 31) by_31 = 0;
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
    case ChecksumKind::pyquda:
      break;
  }
  return fmt::format("sum29 {:08x} sum31 {:08x}", checksum.first, checksum.second);
}

}  // namespace kaon::io
