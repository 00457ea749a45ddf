// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/io/checksum.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kaon::io {

/// The byte order of this machine.
inline constexpr ByteOrder native_byte_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

namespace detail {

/// Unsigned integer of as many bytes as T.
template <class T>
using Word =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

/// Reverses the bytes of a word (std::byteswap of C++23).
template <class W>
constexpr W reversed(W word) {
  if constexpr (sizeof(W) == 8) return __builtin_bswap64(word);
  if constexpr (sizeof(W) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(W) == 2) return __builtin_bswap16(word);
}

}  // namespace detail

/// The number of type T (2, 4 or 8 bytes) whose bytes in the given order start at `from`, aligned or not.
template <class T>
T load(const std::byte* from, ByteOrder order) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
  detail::Word<T> word;
  std::memcpy(&word, from, sizeof word);
  if (order != native_byte_order) word = detail::reversed(word);
  return std::bit_cast<T>(word);
}

/// Stores `value` at `to`, aligned or not, in the given byte order: the inverse of `load`.
template <class T>
void store(std::byte* to, T value, ByteOrder order) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
  auto word = std::bit_cast<detail::Word<T>>(value);
  if (order != native_byte_order) word = detail::reversed(word);
  std::memcpy(to, &word, sizeof word);
}

/// Loads a real number stored in 32 or 64 bits.
inline double load_real(const std::byte* from, int bits, ByteOrder order) {
  return bits == 32 ? static_cast<double>(load<float>(from, order)) : load<double>(from, order);
}

/// Stores a real number in 32 or 64 bits.
inline void store_real(std::byte* to, double value, int bits, ByteOrder order) {
  if (bits == 32) {
    store(to, static_cast<float>(value), order);
  } else {
    store(to, value, order);
  }
}

/// Number of items (sites) that are read or written at once: about a mebibyte.
inline std::uint64_t items_at_once(std::size_t item_bytes) { return (std::uint64_t{1} << 20) / item_bytes + 1; }

}  // namespace kaon::io
