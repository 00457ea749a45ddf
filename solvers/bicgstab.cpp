// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/solvers/bicgstab.hpp>

#include <algorithm>
#include <cmath>

namespace kaon {
namespace {

/// Below this, |<a, b>| / (|a| |b|) is rounding: dividing by it would wreck the recurrence.
constexpr double breakdown_cosine = 1e-15;
/// Below this part of the old one a new |r|^2 that is the difference of others is not worth much.
constexpr double smallest_difference = 1e-6;

}  // namespace

// Vectors read and written in an iteration beside two applications of M:
//   v = M p, <r0, v>                                                1, 0
//   r -= alpha v                                                    2, 1
//   t = M r, <t, r>, <r0, r>, <r0, t>                               1, 0
//   x += alpha p + omega r, r -= omega t, p = r + beta (p - omega v)   5, 3   in all 9 read, 4 written
// beta needs <r0, r> of the new r before there is one: it is <r0, r> - omega <r0, t>, and |r|^2 of the new r is
// |r|^2 - |<t, r>|^2 / |t|^2. Where that is mostly rounding, and where r is to be renewed, the last pass is two, 12
// read and 4 written in all.
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

      const blas::Products of_v = inner_.apply_with_products(v, p, {.w = &r0});  // v = M p
      for (std::size_t k = 0; k < n; ++k) {
        const std::complex<double> sigma = of_v.w_y[k];  // <r0, v>
        alpha[k] = 0.0;
        if (!state.active(k)) {
          if (!detail::is_finite(of_v.y_norm2[k])) state.quarantine(k, {&p, &v, &r, &t});
        } else if (!detail::is_finite(of_v.y_norm2[k]) || !detail::is_finite(sigma)) {
          state.quarantine(k, {&p, &v, &r, &t});
        } else if (std::abs(sigma) <= breakdown_cosine * std::sqrt(of_v.y_norm2[k] * r0_norm2[k])) {
          state.break_down(k);
        } else {
          alpha[k] = rho[k] / sigma;  // alpha = rho / <r0, v>
        }
      }
      for (std::size_t k = 0; k < n; ++k) minus_alpha[k] = -alpha[k];
      blas::caxpy(r, v, minus_alpha);  // r = r - alpha v

      const blas::Products of_t = inner_.apply_with_products(t, r, {.with_x = true, .w = &r0});  // t = M r
      blas::ProductAndNorm next{blas::Complexes(n), of_t.x_norm2};                               // <r0, r>, |r|^2
      bool in_one_pass = true;
      for (std::size_t k = 0; k < n; ++k) {
        const double t_norm2 = of_t.y_norm2[k];
        omega[k] = 0.0;
        next.product[k] = of_t.w_x[k];
        if (!detail::is_finite(t_norm2) || !detail::is_finite(of_t.y_x[k])) {
          alpha[k] = 0.0;
          state.quarantine(k, {&p, &v, &r, &t});
        } else if (state.active(k) && !state.wants_restart(k) && t_norm2 > 0.0) {
          omega[k] = of_t.y_x[k] / t_norm2;  // omega = <t, r> / |t|^2
          next.product[k] -= omega[k] * of_t.w_y[k];
          next.norm2[k] = std::max(0.0, next.norm2[k] - std::norm(of_t.y_x[k]) / t_norm2);
          if (!(next.norm2[k] > smallest_difference * of_t.x_norm2[k])) in_one_pass = false;
        }
      }
      const bool renew = state.update_due(next.norm2);
      if (renew) in_one_pass = false;
      if (!in_one_pass) next = blas::stabilise(x, r, p, t, r0, alpha, omega);  // x += alpha p + omega r, r -= omega t
      if (renew) {
        state.renew(r, next.norm2);  // r = b - M x
        next.product = blas::inner_product(r0, r);
      }
      for (std::size_t k = 0; k < n; ++k) {
        beta[k] = 0.0;
        if (!state.active(k) || state.wants_restart(k)) continue;
        beta[k] = (next.product[k] / rho[k]) * (alpha[k] / omega[k]);
        rho[k] = next.product[k];  // <r0, r>
        if (!detail::is_finite(beta[k]) || rho[k] == 0.0) {
          beta[k] = 0.0;
          if (next.norm2[k] > 0.0) state.break_down(k);  // r = 0 is the solution instead
        }
      }
      if (in_one_pass) {
        blas::stabilise_redirect(x, r, p, t, v, alpha, omega, beta);
      } else {
        blas::redirect(p, r, v, beta, omega);  // p = r + beta (p - omega v)
      }

      state.count_applications(2);
      state.count_blas(6 + 4 + 6 + 18 + 8);  // as the method is written, with sums of the new r
      state.record(next.norm2);
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
