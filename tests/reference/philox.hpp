// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace kaon::reference {

/// Philox4x32-10: ten rounds on a 128-bit counter under a 64-bit key. A round with key (k0, k1) takes (c0, c1, c2, c3)
/// to (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0)); between rounds the key grows by the Weyl
/// constants. M0 = 0xD2511F53, M1 = 0xCD9E8D57, Weyl constants 0x9E3779B9 and 0xBB67AE85. Source: J. K. Salmon, M. A.
/// Moraes, R. O. Dror and D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11 (2011).
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A counter, a key and the ten-round output.
struct PhiloxKnownAnswer {
  std::array<std::uint32_t, 4> counter;
  std::array<std::uint32_t, 2> key;
  std::array<std::uint32_t, 4> output;
};

/// The lines "philox4x32 10" of Random123's tests/kat_vectors.
inline constexpr std::array<PhiloxKnownAnswer, 3> philox_known_answers{{
    {{0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
     {0x00000000u, 0x00000000u},
     {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
    {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
     {0xffffffffu, 0xffffffffu},
     {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
    {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
     {0xa4093822u, 0x299f31d0u},
     {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
}};

}  // namespace kaon::reference
