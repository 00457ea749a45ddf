// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/solver_blas.hpp"
#include "core/reductions/products.hpp"
#include "solvers/bicgstab_scalars.hpp"
#include "solvers/solve_state.hpp"

#include <algorithm>
#include <array>

namespace kaon::detail {

/// The vectors and numbers of BiCGstab, and what its iterations seldom do.
template <class T, class S>
struct BiCgStabRecurrence {
  SolveState<T, S>& state;
  const LinearOperator<S>& inner;
  SpinorField<S>&x, &r, &r0, &p, &v, &t;
  blas::Complexes rho;
  blas::Reals r0_norm2, r_norm2;

  BiCgStabAlpha alpha_of(std::size_t k) const { return {complex(rho[k]), r0_norm2[k], state.runs(k)}; }
  BiCgStabStep step_of(std::size_t k) const { return {complex(rho[k])}; }

  /// r = b - M x, r0 = p = r, rho = <r0, r>
  blas::Reals start(int first, int count) {
    SpinorField<S> r_k = r.range(first, count), r0_k = r0.range(first, count), p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    blas::copy(r0_k, r_k);
    blas::copy(p_k, r_k);
    std::copy(norm2.begin(), norm2.end(), rho.begin() + first);
    for (blas::Reals* norms : {&r0_norm2, &r_norm2}) std::copy(norm2.begin(), norm2.end(), norms->begin() + first);
    return norm2;
  }

  /// r = r - alpha v, t = M r for right-hand side k, which kernels declined; the reductions of t.
  std::array<double, 8> shorten_alone(std::size_t k, std::complex<double> alpha) {
    const SpinorField<S> r0_k = r0.right_hand_side(k);
    SpinorField<S> r_k = r.right_hand_side(k), t_k = t.right_hand_side(k);
    blas::caxpy(r_k, v.right_hand_side(k), blas::Complexes{-alpha});
    state.count_flops(inner.flops());
    state.stop_running_ahead();
    return detail::sums_of(inner.apply_and_reduce(t_k, r_k, {.x = true, .w = &r0_k}).wait(), 0);
  }

  /// x = x + alpha p + omega r, r = r - omega t, a reliable update of all if it is due, then p = r + beta (p - omega
  /// v): for right-hand sides [first, first + count).
  void finish_in_two_passes(int first, int count, const blas::Complexes& alphas, const blas::Complexes& omegas,
                            bool update) {
    SpinorField<S> x_k = x.range(first, count), r_k = r.range(first, count), p_k = p.range(first, count);
    const SpinorField<S> r0_k = r0.range(first, count), t_k = t.range(first, count), v_k = v.range(first, count);
    const auto size = static_cast<std::size_t>(count);
    const auto alpha = std::span(alphas).subspan(static_cast<std::size_t>(first), size);
    const auto omega = std::span(omegas).subspan(static_cast<std::size_t>(first), size);
    blas::ProductAndNorm next = blas::bicgstab_update_xr(x_k, r_k, p_k, t_k, r0_k, {alpha, omega});  // <r0, r>, |r|^2
    if (update) {
      state.reliable_update(r, next.norm2);
      next.product = blas::inner_product(r0, r);
    }
    blas::Complexes beta(size, declined);
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t k = static_cast<std::size_t>(first) + j;
      if (update || state.runs(k)) r_norm2[k] = next.norm2[j];
      if (!state.runs(k)) continue;
      beta[j] = (next.product[j] / rho[k]) * (alpha[j] / omega[j]);
      rho[k] = next.product[j];
      if (is_finite(beta[j]) && rho[k] != 0.0) continue;
      beta[j] = 0.0;
      if (r_norm2[k] > 0.0) state.break_down(k);  // r = 0 is the solution instead
    }
    blas::bicgstab_update_p(p_k, r_k, v_k, {beta, omega});
  }

 private:
  static Complex<double> complex(const std::complex<double>& z) { return {z.real(), z.imag()}; }
};

}  // namespace kaon::detail
