// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scalar_function.hpp"
#include "solvers/solve_state.hpp"

namespace kaon::detail {

// Scalar functions (core/scalar_function.hpp) of conjugate-gradient methods.

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

/// Ends a right-hand side of which no function made a step: it met NaN, or the operator is not positive. False if the
/// host can make one.
template <class T, class S>
bool ends_without_step(SolveState<T, S>& state, std::size_t k, double denominator) {
  if (!is_finite(denominator)) {
    state.discard(k);
  } else if (denominator <= 0.0) {
    state.stop(k, SolveStatus::breakdown);
  } else {
    return false;
  }
  return true;
}

}  // namespace kaon::detail
