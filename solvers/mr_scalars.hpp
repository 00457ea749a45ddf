// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/scalar_function.hpp"
#include "solvers/quotient.hpp"

namespace kaon::detail {

// Scalar functions (core/reductions/scalar_function.hpp) of minimal residuals.

/// Below this, |<M r, r>| / (|M r| |r|) is rounding: no step along r makes the residual smaller, now or ever.
inline constexpr double least_cosine = 1e-15;

/// From the reductions of t = M r and r: alpha = omega <t, r> / |t|^2. Declines breakdowns.
struct Relaxation {
  static constexpr int scalars = 1, earlier = 0;
  double omega;
  bool runs;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_t, const Complex<double>*,
                                         Complex<double>* alpha) const {
    alpha[0] = (omega / of_t.y_norm2()) * of_t.y_x();
    return runs && is_more_than_rounding(of_t.y_x(), least_cosine, of_t.y_norm2(), of_t.x_norm2()) &&
           Kokkos::isfinite(of_t.y_norm2()) && Kokkos::isfinite(absolute(alpha[0]));
  }
};

/// From |b|^2: a power of two that brings b to a length between 1/2 and 1; 1 where there is none.
struct Scale {
  static constexpr int scalars = 1, earlier = 0;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_b, const Complex<double>*,
                                         Complex<double>* scale) const {
    constexpr int largest = 120;  // powers that `float` holds
    const double norm2 = of_b.y_norm2();
    const bool has_length = norm2 > 0.0 && Kokkos::isfinite(norm2);
    const int exponent = has_length ? static_cast<int>(Kokkos::floor(0.5 * Kokkos::log2(norm2))) + 1 : 0;
    const int power = exponent < -largest ? largest : exponent > largest ? -largest : -exponent;
    scale[0] = {Kokkos::exp2(static_cast<double>(power)), 0.0};
    return true;
  }
};

/// From the reductions of t = M r and r, for an r that is `scale` times the residual: the step alpha of r, and that of
/// x, alpha / scale.
struct ScaledRelaxation {
  static constexpr int scalars = 2, earlier = 1;
  double omega;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_t, const Complex<double>* scale,
                                         Complex<double>* step) const {
    step[1] = (omega / of_t.y_norm2()) * of_t.y_x();
    step[0] = (1.0 / scale[0].re) * step[1];
    return of_t.y_norm2() > 0.0 && Kokkos::isfinite(norm2(step[0])) && Kokkos::isfinite(norm2(step[1]));
  }
};

}  // namespace kaon::detail
