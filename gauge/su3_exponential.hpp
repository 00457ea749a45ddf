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

/// Halves a until its size |a|^2, which is given, is at most 1 in all lanes; returns how often.
template <class V>
KOKKOS_INLINE_FUNCTION int halved(ColorMatrix<V>& a, V& size) {
  int halvings = 0;
  double factor = 1.0;
  for (; halvings < most_halvings && !all_at_most(size, V(1)); ++halvings) {
    size = V(0.25) * size;
    factor *= 0.5;
  }
  if (halvings > 0) scale(a, factor);
  return halvings;
}

/// r_0 + r_1 a + r_2 a^2
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> second_degree(const Complex<V> (&r)[3], const ColorMatrix<V>& a,
                                                    const ColorMatrix<V>& square) {
  ColorMatrix<V> result;
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) {
      result.e[row][column] = r[1] * a.e[row][column] + r[2] * square.e[row][column];
    }
    result.e[row][row] += r[0];
  }
  return result;
}

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
  int halvings = halved(a, size);
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
  ColorMatrix<V> result = second_degree(r, a, a * a);
  for (; halvings > 0; --halvings) result = result * result;
  return result;
}

/// `exponential` E of a, and how it depends on a: for f, traceless and anti-Hermitian as well, b with
///
///   Re tr(f dE E^-1) = Re tr(b da),   b = int_0^1 exp(-s a) f exp(s a) ds.
///
/// The polynomials r_0, r_1, r_2 in p and d are differentiated step by step of Horner's rule, so that no case needs
/// another formula; with G = E^-1 f
///
///   b = TA(Re sum_k (dr_k/dp tr(G a^k)) a - i Re sum_k (dr_k/dd tr(G a^k)) a^2 + r_1 G + r_2 (G a + a G)),
///
/// and b <- (b + E^-1 b E)/2 where E is squared. 2300 flops.
template <class V>
KAON_KERNEL_PART void exponential_with_derivative(ColorMatrix<V>& e, ColorMatrix<V>& b, ColorMatrix<V> a,
                                                  const ColorMatrix<V>& f) {
  V size = norm2(a);
  int halvings = halved(a, size);
  const V p = V(-0.5) * size;
  const V d = determinant(a).im;
  const Complex<V> zero{V(0), V(0)};
  Complex<V> r[3] = {{V(1), V(0)}, zero, zero};
  Complex<V> by_p[3] = {zero, zero, zero}, by_d[3] = {zero, zero, zero};
  for (int n = exponential_degree; n > 0; --n) {
    const V inverse = V(1.0 / n);
    const Complex<V> last = inverse * r[2], last_by_p = inverse * by_p[2], last_by_d = inverse * by_d[2];
    by_p[2] = inverse * by_p[1];
    by_p[1] = inverse * by_p[0] + p * last_by_p + last;
    by_p[0] = d * times_i(last_by_p);
    by_d[2] = inverse * by_d[1];
    by_d[1] = inverse * by_d[0] + p * last_by_d;
    by_d[0] = times_i(d * last_by_d + last);
    r[2] = inverse * r[1];
    r[1] = inverse * r[0] + p * last;
    r[0] = {V(1) - d * last.im, d * last.re};
  }
  const ColorMatrix<V> square = a * a;
  e = second_degree(r, a, square);
  const ColorMatrix<V> g = adjoint_times(e, f), right = g * a;
  const Complex<V> traces[3] = {trace(g), trace(right), trace(g * square)};
  V along = V(0), across = V(0);
  for (int k = 0; k < 3; ++k) {
    along = along + by_p[k].re * traces[k].re - by_p[k].im * traces[k].im;
    across = across + by_d[k].re * traces[k].re - by_d[k].im * traces[k].im;
  }
  const Complex<V> coefficients[3] = {zero, {along, V(0)}, {V(0), V(0) - across}};
  ColorMatrix<V> sum = second_degree(coefficients, a, square);
  const ColorMatrix<V> both = right + a * g;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      sum.e[row][column] += r[1] * g.e[row][column] + r[2] * both.e[row][column];
    }
  }
  b = traceless_antihermitian(sum);
  for (; halvings > 0; --halvings) {
    b = b + adjoint_times(e, b * e);
    scale(b, 0.5);
    e = e * e;
  }
}

}  // namespace kaon::detail
