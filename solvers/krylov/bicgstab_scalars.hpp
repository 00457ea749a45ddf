// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/scalar_function.hpp"
#include "solvers/contract/complex_scalars.hpp"

namespace kaon::detail {

// Scalar functions (core/reductions/scalar_function.hpp) of BiCGstab.

/// Below this, |<a, b>| / (|a| |b|) is rounding: dividing by it would wreck the recurrence.
inline constexpr double breakdown_cosine = 1e-15;
/// Below this part of the old one a new |r|^2 that is the difference of others is not worth much.
inline constexpr double smallest_difference = 1e-6;

/// From the reductions of v = M p and w = r0: alpha = rho / <r0, v>. Declines breakdowns.
struct BiCgStabAlpha {
  static constexpr int scalars = 1, earlier = 0;
  Complex<double> rho;
  double r0_norm2;
  bool runs;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_v, const Complex<double>*,
                                         Complex<double>* alpha) const {
    const Complex<double> sigma = of_v.w_y();
    alpha[0] = quotient(rho, sigma);
    return runs && is_more_than_rounding(sigma, breakdown_cosine, of_v.y_norm2(), r0_norm2) &&
           Kokkos::isfinite(of_v.y_norm2()) && Kokkos::isfinite(absolute(alpha[0]));
  }
};

/// From the reductions of t = M r, r and w = r0, and from alpha: the coefficients alpha, omega and beta of the updates
/// of x, r and p, then rho of the next residual. Declines where |r|^2 of that is mostly rounding.
struct BiCgStabStep {
  static constexpr int scalars = 4, earlier = 1;
  enum Scalar { at_alpha, at_omega, at_beta, at_next_rho };
  Complex<double> rho;

  /// <t, r> / |t|^2
  KOKKOS_INLINE_FUNCTION Complex<double> omega(const ReducedSums& of_t) const {
    return of_t.y_norm2() > 0.0 ? (1.0 / of_t.y_norm2()) * of_t.y_x() : Complex<double>{0.0, 0.0};
  }
  /// |r|^2 - |<t, r>|^2 / |t|^2
  KOKKOS_INLINE_FUNCTION double next_norm2(const ReducedSums& of_t) const {
    const double difference = of_t.x_norm2() - absolute(of_t.y_x()) * absolute(omega(of_t));
    return difference > 0.0 ? difference : 0.0;
  }
  /// (next rho / rho) (alpha / omega)
  KOKKOS_INLINE_FUNCTION Complex<double> beta(const Complex<double>& next_rho, const Complex<double>& alpha,
                                              const Complex<double>& omega) const {
    return quotient(next_rho, rho) * quotient(alpha, omega);
  }
  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_t, const Complex<double>* alpha,
                                         Complex<double>* step) const {
    const Complex<double> next_rho = of_t.w_x() - omega(of_t) * of_t.w_y();
    step[at_alpha] = alpha[0];
    step[at_omega] = omega(of_t);
    step[at_beta] = beta(next_rho, alpha[0], omega(of_t));
    step[at_next_rho] = next_rho;
    return of_t.y_norm2() > 0.0 && next_norm2(of_t) > smallest_difference * of_t.x_norm2() &&
           absolute(next_rho) > 0.0 && Kokkos::isfinite(absolute(step[at_omega])) &&
           Kokkos::isfinite(absolute(step[at_beta]));
  }
};

}  // namespace kaon::detail
