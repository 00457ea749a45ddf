// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/fused_updates.hpp"
#include "core/lanes/algebra.hpp"
#include "core/reductions/scalar_function.hpp"

#include <type_traits>

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

// Scalar functions (core/reductions/scalar_function.hpp) of methods with a fixed number of steps from zero. The host
// never reads their reductions.

/// From |b|^2: a power of two that scales b to a length between 1/2 and 1; 1 for b = 0.
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

/// From the reductions of t and r, for an r that is `scale` times the residual: with alpha = omega <t, r> / |t|^2 the
/// step of x, alpha / scale, and that of r, alpha. Declines a t without length.
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

/// From the reductions of z_j and z: beta = <z_j, z> / |z_j|^2. Declines a z_j without length.
struct Projection {
  static constexpr int scalars = 1, earlier = 0;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_z, const Complex<double>*, Complex<double>* beta) const {
    beta[0] = (1.0 / of_z.y_norm2()) * of_z.y_x();
    return of_z.y_norm2() > 0.0 && Kokkos::isfinite(norm2(beta[0]));
  }
};

/// From the reductions of z_j, z and r, where z = M p: the last step of x, alpha (p - beta p_j), as its numbers alpha
/// of p and -alpha beta of p_j. With z' = z - beta z_j it has beta = <z_j, z> / |z_j|^2 and alpha = <z', r> / |z'|^2.
/// Declines a z' that is rounding of z.
template <class T>
struct LastStep {
  static constexpr int scalars = 2, earlier = 0;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_zj, const Complex<double>*,
                                         Complex<double>* step) const {
    constexpr double rounding = 32.0 * spacing<T>();
    const Complex<double> beta = (1.0 / of_zj.y_norm2()) * of_zj.y_x();
    const double left = of_zj.x_norm2() - norm2(beta) * of_zj.y_norm2();  // |z'|^2
    step[0] = (1.0 / left) * conj(of_zj.w_x() - beta * of_zj.w_y());
    step[1] = -(step[0] * beta);
    return of_zj.y_norm2() > 0.0 && left > rounding * rounding * of_zj.x_norm2() && Kokkos::isfinite(norm2(step[0])) &&
           Kokkos::isfinite(norm2(step[1]));
  }
};

/// x = 0, r = scale b; returns the scale. It brings the reductions of very small or large b into the range of `float`;
/// double needs none.
template <class T>
blas::Scalars start_from_zero(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& b) {
  const auto scale_of = [](std::size_t) { return Scale{}; };
  const blas::Scalars scale = std::is_same_v<T, double> ? blas::Scalars(1.0) : unattended_norm2(b, scale_of);
  zero_and_scale(x, r, b, scale);
  return scale;
}

}  // namespace kaon::detail
