// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/at_once.hpp"

namespace kaon::detail {

/// The rule (core/at_once.hpp) of conjugate-gradient methods for the length of a step, -alpha = -numerator / product,
/// for right-hand sides that run.
struct StepLengthRule {
  static constexpr int coefficients = 1;
  int product;  ///< which of the sums: 0 for |y|^2, 1 for Re <y, x>, 3 for |x|^2 where y = M x
  double numerator[blas_batch];
  bool active[blas_batch];

  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* minus_alpha) const {
    const double denominator = sums[product];
    minus_alpha[0] = {-numerator[k] / denominator, 0.0};
    return active[k] && denominator > 0.0 && Kokkos::isfinite(minus_alpha[0].re);
  }
};

}  // namespace kaon::detail
