// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/all_links.hpp"
#include "gauge/su3.hpp"

namespace kaon::detail {

/// TA(a) = (a - a^dag)/2 - (1/6) tr(a - a^dag). 24 flops.
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> traceless_antihermitian(const ColorMatrix<V>& a) {
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) {
      const Complex<V> difference = a.e[row][column] - conj(a.e[column][row]);
      result.e[row][column] = V(0.5) * difference;
    }
  }
  const V third = trace(a).im * V(1.0 / 3.0);
  KAON_UNROLL
  for (int color = 0; color < 3; ++color) result.e[color][color].im = result.e[color][color].im - third;
  return result;
}

/// Degree of the series where |a| <= 1: omitted terms are below 1e-17.
inline constexpr int exponential_degree = 17;
/// Halvings of the largest matrices that are exponentiated, |a| = 2^40; also where a holds a NaN.
inline constexpr int most_halvings = 40;

/// exp(a) of a traceless anti-Hermitian matrix, in SU(3) to rounding. With
///
///   a^3 = p a + i d,   p = tr(a^2)/2 = -|a|^2/2,   i d = det a
///
/// the sum of a^n/n! is r_0 + r_1 a + r_2 a^2, by Horner's rule from the last term on:
///
///   (r_0, r_1, r_2) <- (1 + (i d/n) r_2, (r_0 + p r_2)/n, r_1/n).
///
/// Matrices with |a| > 1, summed over elements, are halved until they are not, all lanes alike, and the result is
/// squared as often. 670 flops.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> exponential(ColorMatrix<V> a) {
  V size = norm2(a);
  int halvings = 0;
  double factor = 1.0;
  for (; halvings < most_halvings && !all_at_most(size, V(1)); ++halvings) {
    size = V(0.25) * size;
    factor *= 0.5;
  }
  if (halvings > 0) {
    for (auto& row : a.e) {
      for (auto& element : row) element = V(factor) * element;
    }
  }
  const V p = V(-0.5) * size;
  const V d = determinant(a).im;
  Complex<V> r[3] = {{V(1), V(0)}, {V(0), V(0)}, {V(0), V(0)}};
  for (int n = exponential_degree; n > 0; --n) {
    const V inverse = V(1.0 / n);
    const Complex<V> last = inverse * r[2];
    r[2] = inverse * r[1];
    r[1] = {inverse * r[0].re + p * last.re, inverse * r[0].im + p * last.im};
    r[0] = {V(1) - d * last.im, d * last.re};
  }
  const ColorMatrix<V> square = a * a;
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) {
      result.e[row][column] = r[1] * a.e[row][column] + r[2] * square.e[row][column];
    }
    result.e[row][row] += r[0];
  }
  for (; halvings > 0; --halvings) result = result * result;
  return result;
}

}  // namespace kaon::detail
