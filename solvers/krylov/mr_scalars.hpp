// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/scalar_function.hpp"
#include "solvers/contract/complex_scalars.hpp"

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

}  // namespace kaon::detail
