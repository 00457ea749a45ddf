// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

#include <kaon/core/random.hpp>

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

/// Purpose of random numbers: one key yields unrelated numbers for different purposes.
enum class Purpose : std::uint8_t {
  gaussian = 1,
  z2 = 2,
  complex_z2 = 3,
  links = 4,
  gauge_transformation = 5,
  heatbath = 6,
  near_null = 7,
  momenta = 8,
  acceptance = 9
};

/// The random numbers of one site, for one purpose and one `index` (a right-hand side or a direction; below 2^24).
///
/// Block number n of a site is Philox of the counter
///   (site mod 2^32, site / 2^32 + 2^8 n, stream, index + 2^24 purpose)
/// under the seed as key: sites below 2^40, block numbers below 2^24. Blocks are used by number, or one after another
/// from number `first`.
class RandomSequence {
 public:
  KOKKOS_INLINE_FUNCTION RandomSequence(const RandomKey& key, Purpose purpose, std::uint64_t site, int index,
                                        std::uint32_t first = 0)
      : key_0_(static_cast<std::uint32_t>(key.seed)),
        key_1_(static_cast<std::uint32_t>(key.seed >> 32)),
        counter_{{static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(site >> 32), key.stream,
                  static_cast<std::uint32_t>(index) + (static_cast<std::uint32_t>(purpose) << 24)}},
        next_(first) {}

  KOKKOS_INLINE_FUNCTION PhiloxWords block(std::uint32_t number) const {
    PhiloxWords counter = counter_;
    counter.word[1] += number << 8;
    return philox4x32(counter, key_0_, key_1_);
  }

  /// Two independent numbers, uniform in (0, 1), of which neither 0 nor 1 occurs.
  KOKKOS_INLINE_FUNCTION Complex<double> uniform_pair(std::uint32_t number) const {
    const PhiloxWords words = block(number);
    return {uniform(words.word[0], words.word[1]), uniform(words.word[2], words.word[3])};
  }

  /// Two independent normal numbers of variance 1, by Box and Muller's transformation.
  KOKKOS_INLINE_FUNCTION Complex<double> normal_pair(std::uint32_t number) const {
    const Complex<double> u = uniform_pair(number);
    const double radius = Kokkos::sqrt(-2.0 * Kokkos::log(u.re));
    const double angle = 2.0 * Kokkos::numbers::pi * u.im;
    return {radius * Kokkos::cos(angle), radius * Kokkos::sin(angle)};
  }

  /// The pairs of the next block.
  KOKKOS_INLINE_FUNCTION Complex<double> next_uniform_pair() { return uniform_pair(next_++); }
  KOKKOS_INLINE_FUNCTION Complex<double> next_normal_pair() { return normal_pair(next_++); }

 private:
  /// (k + 1/2) / 2^52 for the 52 upper bits k: exact in double.
  KOKKOS_INLINE_FUNCTION static double uniform(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = ((static_cast<std::uint64_t>(high) << 32) | low) >> 12;
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
  }

  std::uint32_t key_0_, key_1_;
  PhiloxWords counter_;
  std::uint32_t next_;
};

}  // namespace kaon::detail
