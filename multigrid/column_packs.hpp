// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"
#include "core/lanes/algebra.hpp"

namespace kaon::detail {

// Sums of products of matrices with N columns, in packs of columns: a row is [column / W][re, im][W].

/// Columns of a row that are computed with at once, on hosts where 8 divides N.
#if defined(KAON_HOST_PACKS)
template <class T>
using ColumnPack = stdx::simd<T, stdx::simd_abi::deduce_t<T, 8>>;
#else
template <class T>
using ColumnPack = T;
#endif

/// W of matrices with that many columns.
template <class T>
constexpr int column_lanes(int columns) {
  return columns % lane_count<ColumnPack<T>> == 0 ? lane_count<ColumnPack<T>> : 1;
}
/// Calls `body.template operator()<V>()` with the pack of matrices with that many columns.
template <class T, class Body>
decltype(auto) with_column_pack(int columns, Body&& body) {
  if constexpr (is_pack<ColumnPack<T>>) {
    if (column_lanes<T>(columns) != 1) return body.template operator()<ColumnPack<T>>();
  }
  return body.template operator()<T>();
}

/// Position of the real part of a row's number; the imaginary part follows W numbers later.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION int column_offset(int column) {
  constexpr int lanes = lane_count<V>;
  return column / lanes * (2 * lanes) + column % lanes;
}

/// One number that lies as [re, im].
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<T> load_number(const T* from) {
  const Word<T, 1> word = *reinterpret_cast<const Word<T, 1>*>(from);
  return {word.number[0], word.number[1]};
}

/// J packs of columns of a row.
template <class V, int J>
KOKKOS_FORCEINLINE_FUNCTION void load_packs(Complex<V> (&packs)[J], const Scalar<V>* row) {
  KAON_UNROLL
  for (int j = 0; j < J; ++j) {
    packs[j] = {load_lanes<V>(row + 2 * j * lane_count<V>), load_lanes<V>(row + (2 * j + 1) * lane_count<V>)};
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
