// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"

namespace kaon::detail {

// The two chiralities of spinors with 12 complex numbers. The first six are the upper one.

/// The number of consecutive chunks of one chirality.
template <class Chunk>
inline constexpr int chunks_of_chirality = on_device ? device_block * 6 / Chunk::count : 6;

/// Six numbers of a site in 16-bit fixed point on a GPU: those of one chirality, in the order of their words.
struct HalfSite {
  static constexpr int count = 6;
  Word<half, 4> four;
  Word<half, 2> two;
  float scale;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t offset_of_four(std::size_t site, bool upper) {
    return element_offset<half>(static_cast<int>(site), 0, 1, 12, upper ? 0 : 8, 0, true);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t offset_of_two(std::size_t site, bool upper) {
    return element_offset<half>(static_cast<int>(site), 0, 1, 12, upper ? 4 : 6, 0, true);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t offset_of_scale(std::size_t site) {
    return scale_offset(static_cast<int>(site), 0, 1, 12);
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(const half* field, std::size_t site, bool upper) {
    four = *reinterpret_cast<const Word<half, 4>*>(field + offset_of_four(site, upper));
    two = *reinterpret_cast<const Word<half, 2>*>(field + offset_of_two(site, upper));
    scale = *reinterpret_cast<const float*>(field + offset_of_scale(site));
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION void unpack(Complex<V> (&z)[count]) const {
    KAON_UNROLL
    for (int n = 0; n < count; ++n) {
      const half* const from = n < 4 ? four.number + 2 * n : two.number + 2 * (n - 4);
      z[n] = {scale * load_numbers<V>(from), scale * load_numbers<V>(from + 1)};
    }
  }
  /// The numbers z, the largest part of the whole site being `largest`.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static void store(half* field, std::size_t site, bool upper, const Complex<V> (&z)[count],
                                                const V& largest) {
    HalfSite packed;
    const V to_raw = V(half_one) / largest;
    KAON_UNROLL
    for (int n = 0; n < count; ++n) {
      half* const to = n < 4 ? packed.four.number + 2 * n : packed.two.number + 2 * (n - 4);
      store_numbers<V, false>(to, z[n].re, to_raw);
      store_numbers<V, false>(to + 1, z[n].im, to_raw);
    }
    *reinterpret_cast<Word<half, 4>*>(field + offset_of_four(site, upper)) = packed.four;
    *reinterpret_cast<Word<half, 2>*>(field + offset_of_two(site, upper)) = packed.two;
    if (upper) *reinterpret_cast<float*>(field + offset_of_scale(site)) = largest * V(1.0F / half_one);
  }
};

}  // namespace kaon::detail
