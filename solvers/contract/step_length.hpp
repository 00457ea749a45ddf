// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/solver_blas.hpp"
#include "core/reductions/products.hpp"
#include "solvers/contract/solve_state.hpp"

namespace kaon::detail {

// Scalar functions (core/reductions/scalar_function.hpp) of conjugate-gradient methods.

/// alpha = numerator / denominator, a reduction that is positive
struct StepLength {
  static constexpr int scalars = 1, earlier = 0;
  enum Denominator { y_norm2 = 0, y_x = 1, x_norm2 = 3 };  // where `ReducedSums` has them
  Denominator denominator;
  double numerator;
  bool runs;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of, const Complex<double>*, Complex<double>* alpha) const {
    alpha[0] = {numerator / of.sums[denominator], 0.0};
    return runs && of.sums[denominator] > 0.0 && Kokkos::isfinite(alpha[0].re);
  }
};

/// From alpha: alpha and beta of x += alpha p, p = z + beta p. beta is the reduced |y|^2 over that of the last step.
struct ConjugateStep {
  static constexpr int scalars = 2, earlier = 1;
  double last_norm2;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of, const Complex<double>* alpha,
                                         Complex<double>* step) const {
    step[0] = alpha[0];
    step[1] = {of.y_norm2() / last_norm2, 0.0};
    return Kokkos::isfinite(step[1].re);
  }
};

/// Coefficients of x += alpha p, p = r + beta p, from the sums of `axpy_change`: beta = <r, r - r_last> / |r_last|^2
/// (Polak and Ribiere 1969). It is |r|^2 / |r_last|^2 where residuals are orthogonal. Rounded to 16 bits they are not,
/// and that ratio then adds directions up that are no longer conjugate.
struct FlexibleStep {
  static constexpr int scalars = 2, earlier = 1;
  double last_norm2;

  /// <r, r - r_last>, or 0 where rounding has made it negative.
  KOKKOS_INLINE_FUNCTION static double change(const double* sums) { return Kokkos::fmax(0.0, sums[1]); }
  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of, const Complex<double>* alpha,
                                         Complex<double>* step) const {
    step[0] = alpha[0];
    step[1] = {change(of.sums) / last_norm2, 0.0};
    return Kokkos::isfinite(of.sums[0]) && Kokkos::isfinite(of.sums[1] / last_norm2);
  }
};

/// Coefficients of x += alpha p, p = z + beta p, with y = z and w = the last z in the reductions: beta = <z, z -
/// z_last> / |z_last|^2.
struct FlexibleNormalStep {
  static constexpr int scalars = 2, earlier = 1;
  double last_norm2;

  KOKKOS_INLINE_FUNCTION static double change(double norm2, double product) {
    return Kokkos::fmax(0.0, norm2 - product);
  }
  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of, const Complex<double>* alpha,
                                         Complex<double>* step) const {
    step[0] = alpha[0];
    step[1] = {change(of.y_norm2(), of.w_y().re) / last_norm2, 0.0};
    return Kokkos::isfinite(of.y_norm2()) && Kokkos::isfinite(step[1].re);
  }
};

/// beta of a step whose |r|^2 the host has replaced: new / old. NaN, which leaves a right-hand side as it is, where
/// that is no number.
inline blas::Reals ratios(const blas::Reals& norm2, const blas::Reals& last_norm2) {
  blas::Reals beta(norm2.size());
  for (std::size_t k = 0; k < beta.size(); ++k) {
    beta[k] = norm2[k] / last_norm2[k];
    if (!Kokkos::isfinite(beta[k])) beta[k] = declined;
  }
  return beta;
}

/// alpha and beta of a step that the host makes; none where beta is no number.
inline blas::Scalars host_step(blas::Reals alpha, const blas::Reals& norm2, const blas::Reals& last_norm2) {
  const blas::Reals beta = ratios(norm2, last_norm2);
  for (std::size_t k = 0; k < beta.size(); ++k) {
    if (!Kokkos::isfinite(beta[k])) alpha[k] = declined;
  }
  return {alpha, beta};
}

/// Computes alpha of right-hand side k, which kernels declined, on the host from its reductions. Returns NaN, and stops
/// the right-hand side, if it met NaN or the operator is not positive.
template <class T, class S>
double alpha_on_host(SolveState<T, S>& state, std::size_t k, const StepLength& alpha_of_k,
                     const blas::Products& products) {
  const auto sums = sums_of(products, k);
  const double alpha = apply_on_host(alpha_of_k, sums.data(), nullptr)[0].re;
  if (is_finite(alpha)) return alpha;
  if (is_finite(sums[alpha_of_k.denominator])) {
    state.stop(k, SolveStatus::breakdown);
  } else {
    state.discard(k);
  }
  return declined;
}

}  // namespace kaon::detail
