// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/lanes/algebra.hpp"

#include <kaon/core/precision.hpp>

#include <type_traits>

namespace kaon::detail {

// Numbers between memory and lanes, for any storage. 16-bit numbers load as whole numbers in float.

template <class V>
KOKKOS_FORCEINLINE_FUNCTION V absolute(const V& value) {
  if constexpr (lane_count<V> == 1) {
    return Kokkos::abs(value);
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::abs(value);
#endif
  }
}
/// The greater.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V maximum(const V& a, const V& b) {
  if constexpr (lane_count<V> == 1) {
    return Kokkos::fmax(a, b);
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::max(a, b);
#endif
  }
}

/// The greater of two numbers that are not negative, NaN if one of them is: what chooses a scale must not lose a NaN.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V maximum_or_nan(const V& a, const V& b) {
  if constexpr (lane_count<V> == 1) {
    return greater_or_nan(a, b);
  } else {
#if defined(KAON_HOST_PACKS)
    // Compared as integers, the bits of non-negative numbers have the same order; those of NaN are greater.
    using Ints [[gnu::vector_size(sizeof(V))]] = std::int32_t;
    const Ints x = std::bit_cast<Ints>(a), y = std::bit_cast<Ints>(b);
    return std::bit_cast<V>(x > y ? x : y);
#endif
  }
}

#if defined(KAON_HOST_PACKS)
template <class V>
struct FixedPointLanes {
  using Shorts [[gnu::vector_size(2 * lane_count<V>)]] = std::int16_t;
  using Ints [[gnu::vector_size(4 * lane_count<V>)]] = std::int32_t;
  using Floats [[gnu::vector_size(4 * lane_count<V>)]] = float;
};
#endif

/// W consecutive, aligned numbers.
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION V load_numbers(const T* from) {
  if constexpr (!std::is_same_v<T, half>) {
    return load_lanes<V>(from);
  } else if constexpr (lane_count<V> == 1) {
    return static_cast<V>(from->bits);
  } else {
#if defined(KAON_HOST_PACKS)
    // GCC 12 makes seven instructions of the general form, of these two.
#if defined(__AVX512F__)
    if constexpr (lane_count<V> == 16) {
      const __m256i numbers = _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
      return std::bit_cast<V>(_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(numbers)));
    }
#endif
#if defined(__AVX2__)
    if constexpr (lane_count<V> == 8) {
      const __m128i numbers = _mm_load_si128(reinterpret_cast<const __m128i*>(from));
      return std::bit_cast<V>(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(numbers)));
    }
#endif
    using L = FixedPointLanes<V>;
    typename L::Shorts numbers;
    __builtin_memcpy(&numbers, from, sizeof(numbers));
    return std::bit_cast<V>(__builtin_convertvector(numbers, typename L::Floats));
#endif
  }
}

/// 1.5 * 2^23: added to a number below 2^22, it leaves the nearest whole number (ties to even) in the low bits.
inline constexpr float rounding_shift = 12582912.0F;

/// Stores value * to_raw; 16-bit numbers rounded to the nearest whole number; past the caches if `Stream`.
template <class V, bool Stream, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_numbers(T* to, const V& value, const V& to_raw) {
  if constexpr (!std::is_same_v<T, half>) {
    if constexpr (Stream) {
      stream_lanes<V>(to, value * to_raw);
    } else {
      store_lanes<V>(to, value * to_raw);
    }
  } else if constexpr (lane_count<V> == 1) {
    to->bits = static_cast<std::int16_t>(Kokkos::bit_cast<std::int32_t>(value * to_raw + rounding_shift));
  } else {
#if defined(KAON_HOST_PACKS)
    using L = FixedPointLanes<V>;
    const V shifted = value * to_raw + V(rounding_shift);
#if defined(__AVX512F__)
    if constexpr (lane_count<V> == 16) {
      const __m256i lowest = _mm512_cvtepi32_epi16(std::bit_cast<__m512i>(shifted));
      if constexpr (Stream) return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), lowest);
      return _mm256_store_si256(reinterpret_cast<__m256i*>(to), lowest);
    }
#endif
    const auto numbers = __builtin_convertvector(std::bit_cast<typename L::Ints>(shifted), typename L::Shorts);
    __builtin_memcpy(to, &numbers, sizeof(numbers));
#endif
  }
}

}  // namespace kaon::detail
