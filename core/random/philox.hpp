// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace kaon::detail {

/// Four 32-bit words: a counter, or what the generator makes of it.
struct PhiloxWords {
  std::uint32_t word[4];
};

/// Philox4x32 with ten rounds: 128 random bits from a counter and a key, without any state.
/// Source: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11
/// (2011), doi:10.1145/2063384.2063405; the same numbers as Random123's philox4x32.
KOKKOS_INLINE_FUNCTION PhiloxWords philox4x32(PhiloxWords counter, std::uint32_t key_0, std::uint32_t key_1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {
        {static_cast<std::uint32_t>(product_1 >> 32) ^ counter.word[1] ^ key_0, static_cast<std::uint32_t>(product_1),
         static_cast<std::uint32_t>(product_0 >> 32) ^ counter.word[3] ^ key_1, static_cast<std::uint32_t>(product_0)}};
    key_0 += 0x9E3779B9u;
    key_1 += 0xBB67AE85u;
  }
  return counter;
}

}  // namespace kaon::detail
