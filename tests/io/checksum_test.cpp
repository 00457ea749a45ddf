// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/bytes.hpp"

#include <kaon/io/checksum.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace kaon::io {
namespace KAON_TEST_FILE {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint32_t state = 12345;
  for (auto& byte : bytes) byte = static_cast<std::byte>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

TEST(Bytes, AreStoredAndLoadedInBothOrders) {
  std::array<std::byte, 9> buffer{};
  store(buffer.data() + 1, 0x01020304u, ByteOrder::big);
  EXPECT_EQ(buffer[1], std::byte{1});
  EXPECT_EQ(load<std::uint32_t>(buffer.data() + 1, ByteOrder::big), 0x01020304u);
  EXPECT_EQ(load<std::uint32_t>(buffer.data() + 1, ByteOrder::little), 0x04030201u);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    store(buffer.data() + 1, -1.5e-300, order);
    EXPECT_EQ(load<double>(buffer.data() + 1, order), -1.5e-300);
    store_real(buffer.data() + 1, 0.1, 32, order);
    EXPECT_EQ(load_real(buffer.data() + 1, 32, order), static_cast<double>(0.1f));
  }
}

// The check value of the CRC catalogue (CRC-32/ISO-HDLC), and zlib's of a longer text.
TEST(Crc32, HasTheCatalogueValue) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(crc32(bytes_of("The quick brown fox jumps over the lazy dog")), 0x414fa339u);
  EXPECT_EQ(crc32({}), 0u);
}

TEST(Crc32, ContinuesAnywhere) {
  const auto bytes = some_bytes(67);
  const std::span<const std::byte> all(bytes);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), crc32(all));
  }
}

TEST(Checksum, OfPartsCombinesToThatOfTheWhole) {
  constexpr std::size_t item = 24, items = 100;
  const auto bytes = some_bytes(item * items);
  const std::span<const std::byte> all(bytes);
  for (const ChecksumKind kind : {ChecksumKind::nersc, ChecksumKind::scidac, ChecksumKind::milc}) {
    Checksum whole{.kind = kind};
    whole.add(0, all, item, ByteOrder::big);
    Checksum first{.kind = kind}, second{.kind = kind};
    second.add(37, all.subspan(37 * item), item, ByteOrder::big);
    first.add(0, all.first(37 * item), item, ByteOrder::big);
    second.combine(first);
    EXPECT_EQ(second, whole);
  }
}

TEST(Checksum, OfScidacRotatesTheCrcOfEachSite) {
  const auto bytes = some_bytes(16);
  Checksum sum{.kind = ChecksumKind::scidac};
  sum.add(30, bytes, 16, ByteOrder::big);
  const std::uint32_t crc = crc32(bytes);
  EXPECT_EQ(sum.first, (crc << 1) | (crc >> 31));
  EXPECT_EQ(sum.second, (crc << 30) | (crc >> 2));
}

TEST(Checksum, OfNerscDependsOnTheByteOrderAndWraps) {
  const std::vector<std::byte> bytes{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                     std::byte{0},    std::byte{0},    std::byte{0},    std::byte{2}};
  Checksum big, little;
  big.add(0, bytes, 8, ByteOrder::big);
  little.add(0, bytes, 8, ByteOrder::little);
  EXPECT_EQ(big.first, 1u);
  EXPECT_EQ(little.first, 0x01ffffffu);
  EXPECT_EQ(to_string(big), "00000001");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
