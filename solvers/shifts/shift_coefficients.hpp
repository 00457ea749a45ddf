// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/scalars.hpp>

#include <cstddef>
#include <vector>

namespace kaon::detail {

/// The numbers of the recurrences of all shifts in multi-shift conjugate gradients: [shift][right-hand side].
struct ShiftCoefficients {
  using Numbers = std::vector<blas::Reals>;
  ShiftCoefficients(std::size_t shifts, std::size_t right_hand_sides)
      : ratio(shifts, blas::Reals(right_hand_sides, 1.0)),
        zeta(ratio),
        alpha(shifts, blas::Reals(right_hand_sides)),
        beta(alpha),
        zeta_of_running(alpha),
        last_alpha(right_hand_sides, 1.0),
        last_beta(right_hand_sides, 0.0) {}

  /// From alpha and beta of the smallest shift sigma_0, those of shift s, `difference` = sigma_s - sigma_0:
  ///   1 / ratio_s = 1 + difference alpha + (1 - last ratio_s) alpha beta' / alpha', a prime for the iteration before,
  ///   zeta_s = ratio_s zeta_s, alpha_s = ratio_s alpha, beta_s = ratio_s^2 beta; zeros for those that do not run.
  template <class State>
  void advance(std::size_t s, double difference, const blas::Reals& a, const blas::Reals& b, const State& state) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      alpha[s][k] = beta[s][k] = zeta_of_running[s][k] = 0.0;
      if (!state.active(k)) continue;
      ratio[s][k] = 1.0 / (1.0 + difference * a[k] + (1.0 - ratio[s][k]) * a[k] * last_beta[k] / last_alpha[k]);
      zeta[s][k] *= ratio[s][k];
      alpha[s][k] = ratio[s][k] * a[k];
      beta[s][k] = ratio[s][k] * ratio[s][k] * b[k];
      zeta_of_running[s][k] = zeta[s][k];
    }
  }

  /// |r_s|^2 of shift s from that of the smallest.
  blas::Reals norm2_of(std::size_t s, blas::Reals norm2) const {
    for (std::size_t k = 0; k < norm2.size(); ++k) norm2[k] *= zeta[s][k] * zeta[s][k];
    return norm2;
  }

  Numbers ratio, zeta, alpha, beta, zeta_of_running;
  blas::Reals last_alpha, last_beta;
};

}  // namespace kaon::detail
