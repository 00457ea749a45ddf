// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "core/random/random_sequence.hpp"

namespace kaon::detail {

/// a b^dag
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> times_adjoint(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  return a * adjoint(b);
}
/// a^dag b
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> adjoint_times(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  return adjoint(a) * b;
}

/// sum |u_ij|^2. 36 flops.
template <class V>
KOKKOS_INLINE_FUNCTION V norm2(const ColorMatrix<V>& u) {
  V sum = V(0);
  for (const auto& row : u.e) {
    for (const auto& element : row) sum = sum + norm2(element);
  }
  return sum;
}

/// det u. 70 flops.
template <class V>
KOKKOS_INLINE_FUNCTION Complex<V> determinant(const ColorMatrix<V>& u) {
  Complex<V> sum{V(0), V(0)};
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3;
    const int b = (c + 2) % 3;
    sum += u.e[0][c] * (u.e[1][a] * u.e[2][b] - u.e[1][b] * u.e[2][a]);
  }
  return sum;
}

/// sqrt on packs as on scalars.
template <class V>
KOKKOS_INLINE_FUNCTION V square_root(const V& value) {
  if constexpr (lane_count<V> == 1) {
    return Kokkos::sqrt(value);
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::sqrt(value);
#endif
  }
}

/// The SU(3) matrix that Gram and Schmidt make of it: row 1 normalised, row 2 made orthogonal to it and
/// normalised, row 3 = conj(row 1 x row 2). Works on packs as on scalars.
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> reunitarized(ColorMatrix<V> u) {
  const V scale_0 = V(1) / square_root(norm2(u.e[0][0]) + norm2(u.e[0][1]) + norm2(u.e[0][2]));
  for (int c = 0; c < 3; ++c) u.e[0][c] = scale_0 * u.e[0][c];
  Complex<V> overlap{V(0), V(0)};
  for (int c = 0; c < 3; ++c) conj_multiply_add(overlap, u.e[0][c], u.e[1][c]);
  for (int c = 0; c < 3; ++c) u.e[1][c] -= overlap * u.e[0][c];
  const V scale_1 = V(1) / square_root(norm2(u.e[1][0]) + norm2(u.e[1][1]) + norm2(u.e[1][2]));
  for (int c = 0; c < 3; ++c) u.e[1][c] = scale_1 * u.e[1][c];
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3;
    const int b = (c + 2) % 3;
    u.e[2][c] = conj(u.e[0][a] * u.e[1][b] - u.e[0][b] * u.e[1][a]);
  }
  return u;
}

/// unit * 1 + noise * (complex numbers of variance 1 in the real and in the imaginary part), reunitarised: Haar's
/// distribution for unit = 0. Takes blocks 0..8 of the sequence.
KOKKOS_INLINE_FUNCTION ColorMatrix<double> random_su3(const RandomSequence& sequence, double unit, double noise) {
  ColorMatrix<double> u;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      u.e[row][column] = noise * sequence.normal_pair(static_cast<std::uint32_t>(3 * row + column));
    }
    u.e[row][row].re += unit;
  }
  return reunitarized(u);
}

/// a = factor a
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void scale(ColorMatrix<V>& a, double factor) {
  for (auto& row : a.e) {
    for (auto& element : row) element = V(factor) * element;
  }
}

/// sum += factor a
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_multiple(ColorMatrix<V>& sum, double factor, const ColorMatrix<V>& a) {
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) {
      sum.e[row][column].re = sum.e[row][column].re + V(factor) * a.e[row][column].re;
      sum.e[row][column].im = sum.e[row][column].im + V(factor) * a.e[row][column].im;
    }
  }
}

}  // namespace kaon::detail
