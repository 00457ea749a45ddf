// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/solvers/bicgstab.hpp>

#include <cmath>

namespace kaon {
namespace {

/// Below this, |<a, b>| / (|a| |b|) is rounding: dividing by it would wreck the recurrence.
constexpr double breakdown_cosine = 1e-15;

}  // namespace

// Vectors read and written in an iteration beside two applications of M:
//   <r0, v>                                   2, 0
//   r -= alpha v                              2, 1
//   <t, r>, |t|^2                             2, 0
//   x += alpha p + omega r, r -= omega t      5, 2
//   p = r + beta (p - omega v)                3, 1   in all 14 read, 4 written
template <class T, class S>
SolveResult BiCgStab<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b,
                                  std::span<const double> residual_norms) const {
  detail::SolveState<T, S> state(matrix_, x_outer, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 5);
  SpinorField<S>&r = fields[0], &r0 = fields[1], &p = fields[2], &v = fields[3], &t = fields[4];
  blas::Complexes rho(n), alpha(n), minus_alpha(n), omega(n), beta(n);
  blas::Reals r0_norm2(n);

  // r = b - M x, r0 = p = r, rho = <r0, r>
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count);
    SpinorField<S> r0_k = r0.range(first, count);
    SpinorField<S> p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    blas::copy(r0_k, r_k);
    blas::copy(p_k, r_k);
    for (std::size_t k = 0; k < norm2.size(); ++k) {
      rho[static_cast<std::size_t>(first) + k] = norm2[k];
      r0_norm2[static_cast<std::size_t>(first) + k] = norm2[k];
    }
    return norm2;
  };
  state.begin(start(0, right_hand_sides));

  do {
    while (state.any_active()) {
      state.restart(start);

      inner_.apply(v, p);                                  // v = M p
      const auto r0_v = blas::inner_product_norm2(v, r0);  // <v, r0>, |v|^2
      for (std::size_t k = 0; k < n; ++k) {
        const std::complex<double> sigma = std::conj(r0_v.product[k]);  // <r0, v>
        alpha[k] = 0.0;
        if (!state.active(k)) {
          if (!detail::is_finite(r0_v.norm2[k])) state.quarantine(k, {&p, &v, &r, &t});
        } else if (!detail::is_finite(r0_v.norm2[k]) || !detail::is_finite(sigma)) {
          state.quarantine(k, {&p, &v, &r, &t});
        } else if (std::abs(sigma) <= breakdown_cosine * std::sqrt(r0_v.norm2[k] * r0_norm2[k])) {
          state.break_down(k);
        } else {
          alpha[k] = rho[k] / sigma;  // alpha = rho / <r0, v>
        }
      }
      for (std::size_t k = 0; k < n; ++k) minus_alpha[k] = -alpha[k];
      blas::caxpy(r, v, minus_alpha);  // r = r - alpha v

      inner_.apply(t, r);  // t = M r
      const auto t_r = blas::inner_product_norm2(t, r);
      for (std::size_t k = 0; k < n; ++k) {
        omega[k] = 0.0;
        if (!detail::is_finite(t_r.norm2[k]) || !detail::is_finite(t_r.product[k])) {
          alpha[k] = 0.0;
          state.quarantine(k, {&p, &v, &r, &t});
        } else if (state.active(k) && !state.wants_restart(k) && t_r.norm2[k] > 0.0) {
          omega[k] = t_r.product[k] / t_r.norm2[k];  // omega = <t, r> / |t|^2
        }
      }

      auto r0_r = blas::stabilise(x, r, p, t, r0, alpha, omega);  // x += alpha p + omega r, r -= omega t
      if (state.update_due(r0_r.norm2)) {
        state.renew(r, r0_r.norm2);  // r = b - M x
        r0_r.product = blas::inner_product(r0, r);
      }
      for (std::size_t k = 0; k < n; ++k) {
        beta[k] = 0.0;
        if (!state.active(k) || state.wants_restart(k)) continue;
        const std::complex<double> rho_next = r0_r.product[k];  // <r0, r>
        beta[k] = (rho_next / rho[k]) * (alpha[k] / omega[k]);
        rho[k] = rho_next;
        if (!detail::is_finite(beta[k]) || rho_next == 0.0) {
          beta[k] = 0.0;
          if (r0_r.norm2[k] > 0.0) state.break_down(k);  // r = 0 is the solution instead
        }
      }
      blas::redirect(p, r, v, beta, omega);  // p = r + beta (p - omega v)

      state.count_applications(2);
      state.count_blas(6 + 4 + 6 + 14 + 8);
      state.record(r0_r.norm2);
    }
  } while (state.check_true_residuals(t));
  return state.finish();
}

template class BiCgStab<double>;
template class BiCgStab<float>;
template class BiCgStab<half>;
template class BiCgStab<double, float>;
template class BiCgStab<double, half>;
template class BiCgStab<float, half>;

}  // namespace kaon
