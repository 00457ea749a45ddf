// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

namespace kaon::io {

// 3x3 complex matrices as nine consecutive numbers, row by row: just enough to examine what a file holds. Products are
// written out because std::complex's own ones test for infinities.

using Complex = std::complex<double>;

/// a b
inline Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// out = a b; out is neither a nor b.
inline void multiply(Complex* out, const Complex* a, const Complex* b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[3 * i + j] = product(a[3 * i], b[j]) + product(a[3 * i + 1], b[3 + j]) + product(a[3 * i + 2], b[6 + j]);
    }
  }
}

/// Re Tr a b^dag
inline double real_trace_of_product_with_adjoint(const Complex* a, const Complex* b) {
  double sum = 0;
  for (int k = 0; k < 9; ++k) sum += a[k].real() * b[k].real() + a[k].imag() * b[k].imag();
  return sum;
}

/// Row 3 = conj(row 1 x row 2), which a link stored by two rows leaves out.
inline void complete_third_row(Complex* u) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    u[6 + i] = std::conj(product(u[j], u[3 + k]) - product(u[k], u[3 + j]));
  }
}

inline Complex determinant(const Complex* u) {
  Complex sum = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum += product(u[i], product(u[3 + j], u[6 + k]) - product(u[3 + k], u[6 + j]));
  }
  return sum;
}

/// Whether a square has neither overflowed nor lost digits.
inline bool is_exact_square(double square) { return square > 1e-250 && square < 1e250; }

/// |z|: several times as fast as std::abs where the square is exact.
inline double absolute(Complex z) {
  const double square = z.real() * z.real() + z.imag() * z.imag();
  return is_exact_square(square) ? std::sqrt(square) : std::abs(z);
}

/// max_ij |u u^dag - 1|_ij
inline double unitarity_deviation(const Complex* u) {
  std::array<Complex, 6> deviations;
  std::size_t n = 0;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      Complex sum = i == j ? -1.0 : 0.0;
      for (int k = 0; k < 3; ++k) sum += product(u[3 * i + k], std::conj(u[3 * j + k]));
      deviations[n++] = sum;
      square = std::max(square, sum.real() * sum.real() + sum.imag() * sum.imag());
    }
  }
  if (is_exact_square(square)) return std::sqrt(square);
  double worst = 0;
  for (const Complex deviation : deviations) worst = std::max(worst, std::abs(deviation));
  return worst;
}

inline bool is_finite(const Complex* u) {
  return std::all_of(u, u + 9, [](Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); });
}

}  // namespace kaon::io
