// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/fields/load_number.hpp"
#include "core/lanes/algebra.hpp"
#include "core/lanes/fixed_point.hpp"

#include <cstdint>
#include <type_traits>

namespace kaon::detail {

// Sums of products of matrices with N columns, in packs of columns: a row is [column / W][re, im][W].

/// Columns of a row that hosts process at once if 8 divides N.
#if defined(KAON_HOST_PACKS)
using ColumnPack = stdx::simd<float, stdx::simd_abi::deduce_t<float, 8>>;
#else
using ColumnPack = float;
#endif

/// Lanes per pack for this number of columns; 1 if the pack width does not divide it.
constexpr int column_lanes(int columns) { return columns % lane_count<ColumnPack> == 0 ? lane_count<ColumnPack> : 1; }
/// Calls `body.template operator()<V>()` with the type V of packs for this number of columns.
template <class Body>
void with_column_pack(int columns, const Body& body) {
  if (column_lanes(columns) != 1) return body.template operator()<ColumnPack>();
  body.template operator()<float>();
}

/// Calls `body.template operator()<count>()`, for 1 <= count <= most.
template <int most, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_count(int count, const Body& body) {
  if constexpr (most > 1) {
    if (count < most) return with_count<most - 1>(count, body);
  }
  body.template operator()<most>();
}

/// Position of the real part of a row's number; the imaginary part follows W numbers later.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION int column_offset(int column) {
  constexpr int lanes = lane_count<V>;
  return column / lanes * (2 * lanes) + column % lanes;
}

/// Loads C consecutive numbers [re, im] as one word. 16-bit numbers load as whole numbers.
template <Reuse reuse = Reuse::soon, int C, class T, class L>
KOKKOS_FORCEINLINE_FUNCTION void load_word_of_numbers(Complex<T> (&numbers)[C], const L* from) {
  const auto* const place = reinterpret_cast<const Word<L, C>*>(from);
  Word<L, C> word;
  if constexpr (reuse == Reuse::none) {
    word = load_streaming(place);
  } else {
    word = load_word<reuse>(place);
  }
  if constexpr (std::is_same_v<L, half>) {
    std::uint32_t pairs[C];
    __builtin_memcpy(pairs, &word, sizeof(word));
    KAON_UNROLL
    for (int c = 0; c < C; ++c) {
      float re, im;
      biased_floats(pairs[c], re, im);
      numbers[c] = {static_cast<T>(re - unpacking_bias), static_cast<T>(im - unpacking_bias)};
    }
  } else {
    KAON_UNROLL
    for (int c = 0; c < C; ++c) {
      numbers[c] = {static_cast<T>(word.number[2 * c]), static_cast<T>(word.number[2 * c + 1])};
    }
  }
}

/// Loads W numbers of a matrix that is stored as L. 16-bit numbers load as whole numbers.
template <class V, class L>
KOKKOS_FORCEINLINE_FUNCTION V load_widened(const L* from) {
  if constexpr (std::is_same_v<L, half> && !std::is_trivially_copyable_v<V>) {  // a pack of several registers
    return V([from](auto lane) { return static_cast<float>(from[lane].bits); });
  } else {
    return load_numbers<V>(from);
  }
}

/// Loads J packs of columns of a row that is stored as L.
template <class V, int J, class L>
KOKKOS_FORCEINLINE_FUNCTION void load_packs(Complex<V> (&packs)[J], const L* row) {
  KAON_UNROLL
  for (int j = 0; j < J; ++j) {
    packs[j] = {load_widened<V>(row + 2 * j * lane_count<V>), load_widened<V>(row + (2 * j + 1) * lane_count<V>)};
  }
}

/// J x K sums over terms of v_j x_k, or of conj(v_j) x_k, v_j packs and x_k numbers.
template <class V, int J, int K>
struct ProductSums {
  Complex<V> sum[J][K];

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sum[j][k] = {V(0), V(0)};
    }
  }
  template <bool conjugate>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Complex<V> (&v)[J], int k, const Scalar<V>& re, const Scalar<V>& im) {
    const Complex<V> x = {V(re), V(im)};
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      if constexpr (conjugate) {
        conj_multiply_add(sum[j][k], v[j], x);
      } else {
        multiply_add(sum[j][k], v[j], x);
      }
    }
  }
};

}  // namespace kaon::detail
