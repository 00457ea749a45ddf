// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/random/random_sequence.hpp"

namespace kaon::detail {

/// A number in [-1, 1] with the density sqrt(1 - a^2) exp(alpha a), alpha >= 0, as 1 - a: so that nothing is lost near
/// a = 1. Negative after `attempts` rejections, which happens less than once in 10^20.
///
/// With 1 - a = delta the density is sqrt(delta) exp(-alpha delta) sqrt(1 - delta/2); the first two factors are drawn
/// from directly and the third by rejection. For small alpha this would reject nearly always, and a uniform delta is
/// taken instead. Source: A. D. Kennedy and B. J. Pendleton, Phys. Lett. B 156 (1985) 393.
KOKKOS_INLINE_FUNCTION double draw_one_minus_a(double alpha, RandomSequence& sequence) {
  constexpr int attempts = 256;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Complex<double> first = sequence.next_uniform_pair();
    if (alpha < 1.0) {
      const double delta = 2.0 * first.re;
      const double weight = Kokkos::sqrt(delta * (2.0 - delta)) * Kokkos::exp(-alpha * delta);
      if (first.im <= weight) return delta;
    } else {
      const Complex<double> second = sequence.next_uniform_pair();
      const double c = Kokkos::cos(2.0 * Kokkos::numbers::pi * second.re);
      const double delta = -(Kokkos::log(first.re) * c * c + Kokkos::log(first.im)) / alpha;
      if (second.im * second.im <= 1.0 - 0.5 * delta) return delta;
    }
  }
  return -1.0;
}

}  // namespace kaon::detail
