// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kaon::io {

/// Which byte of a number comes first in a file: the least (little) or the most (big) significant one.
enum class ByteOrder { little, big };

/// "little endian" or "big endian".
constexpr const char* to_string(ByteOrder order) { return order == ByteOrder::little ? "little endian" : "big endian"; }

/// CRC-32 (ISO 3309, polynomial 0xEDB88320 in reversed notation, as in zlib and PNG) of `bytes`.
///
/// `crc` continues the value of the bytes before: crc32(b, crc32(a)) is that of a followed by b.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0);

/// How a file format sums up its body.
enum class ChecksumKind {
  nersc,   ///< first = sum of all 32-bit words modulo 2^32, in the byte order of the file
  scidac,  ///< c = crc32 of a site's bytes as in the file; first ^= rotl(c, site mod 29), second ^= rotl(c, site mod
           ///< 31)
  milc,    ///< first ^= rotl(word k, k mod 29), second ^= rotl(word k, k mod 31), in the byte order of the file
  pyquda   ///< c = exclusive or of a site's 32-bit words; first ^= rotl(c, site mod 29), second ^= rotl(c, site mod 31)
};

/// Checksum of the body of a file, or of a part of it: the parts of a body, in any order and split anywhere between
/// items, combine to the checksum of the whole.
struct Checksum {
  ChecksumKind kind = ChecksumKind::nersc;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  /// Adds `bytes`: whole items (sites) of `item_bytes` bytes each, the first of which is the item number `item`.
  void add(std::uint64_t item, std::span<const std::byte> bytes, std::size_t item_bytes, ByteOrder order);

  /// Adds the checksum of another part of the same body.
  void combine(const Checksum& part);

  friend bool operator==(const Checksum&, const Checksum&) = default;
};

/// The format's own spelling: "573a26dd", "suma 1c231a18 sumb 003c553b", "sum29 13a3f454 sum31 a37174ec".
std::string to_string(const Checksum& checksum);

}  // namespace kaon::io
