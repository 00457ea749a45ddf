// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

namespace kaon::detail {

// Complex division for scalar functions. Sums of small sources and heavy quarks are squares already: their squares
// would leave the range of double.

/// |z|
KOKKOS_INLINE_FUNCTION double absolute(const Complex<double>& z) { return Kokkos::hypot(z.re, z.im); }

/// a / b. Not finite for b = 0.
KOKKOS_INLINE_FUNCTION Complex<double> quotient(const Complex<double>& a, const Complex<double>& b) {
  const double inverse = 1.0 / absolute(b);
  return (inverse * a) * conj(inverse * b);
}

/// |<a, b>| > cosine |a| |b|
KOKKOS_INLINE_FUNCTION bool is_more_than_rounding(const Complex<double>& product, double cosine, double a_norm2,
                                                  double b_norm2) {
  return absolute(product) > cosine * Kokkos::sqrt(a_norm2) * Kokkos::sqrt(b_norm2);
}

}  // namespace kaon::detail
