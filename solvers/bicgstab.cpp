// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas_at_once.hpp"
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

using detail::alone;
using detail::Complex;

/// -alpha = -rho / <r0, v> from products of v with r0, for right-hand sides that run and do not break down.
struct AlphaRule {
  static constexpr int coefficients = 1;
  Complex<double> rho[detail::blas_batch];
  double r0_norm2[detail::blas_batch];
  bool active[detail::blas_batch];

  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* minus_alpha) const {
    const double v_norm2 = sums[0];
    const Complex<double> sigma{sums[4], sums[5]};  // <r0, v>
    const double sigma_norm2 = norm2(sigma);
    if (!active[k] || !Kokkos::isfinite(v_norm2) || !Kokkos::isfinite(sigma_norm2)) return false;
    if (sigma_norm2 <= breakdown_cosine * breakdown_cosine * v_norm2 * r0_norm2[k]) return false;
    minus_alpha[0] = (-1.0 / sigma_norm2) * (rho[k] * conj(sigma));
    return Kokkos::isfinite(norm2(minus_alpha[0]));
  }
};

/// alpha, omega and beta from products of t with r and r0, for right-hand sides to which `AlphaRule` was applied, where
/// |r|^2 of the next residual can be had as a difference.
struct StepRule {
  static constexpr int coefficients = 3;
  Complex<double> rho[detail::blas_batch];
  const Complex<double>* minus_alpha;

  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* c) const {
    const double t_norm2 = sums[0], r_norm2 = sums[3];
    const Complex<double> t_r{sums[1], sums[2]}, r0_t{sums[4], sums[5]}, r0_r{sums[6], sums[7]};
    const Complex<double> alpha{-minus_alpha[k].re, -minus_alpha[k].im};
    if (alpha.re != alpha.re || !(t_norm2 > 0.0)) return false;
    const Complex<double> omega = (1.0 / t_norm2) * t_r;
    const Complex<double> next_r0_r = r0_r - omega * r0_t;
    if (!(r_norm2 - norm2(t_r) / t_norm2 > smallest_difference * r_norm2)) return false;
    const Complex<double> above = next_r0_r * alpha, below = rho[k] * omega;
    c[0] = alpha;
    c[1] = omega;
    c[2] = (1.0 / norm2(below)) * (above * conj(below));  // beta = (<r0, r> / rho) (alpha / omega)
    return norm2(next_r0_r) > 0.0 && Kokkos::isfinite(norm2(c[1])) && Kokkos::isfinite(norm2(c[2]));
  }
};

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
  detail::SolveState<T, S> state(*matrix_, x_outer, b, parameters_, residual_norms);
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

  // What comes after sums, where a device can do it before the host has seen them: the whole iteration.
  bool at_once_if_possible = detail::may_go_on_at_once(b.lattice(), n);
  AlphaRule alpha_rule{};
  StepRule step_rule{};
  blas::Products of_t;
  detail::AtOnce step{.slot = 3, .enqueue = [&](detail::PartsOfSums& parts) {
                        blas::stabilise_redirect(x, r, p, t, v, parts.add(step_rule));
                      }};
  detail::AtOnce shorten{.slot = 2, .enqueue = [&](detail::PartsOfSums& parts) {
                           const detail::ComputedCoefficients<1> minus_alpha_of_rule = parts.add(alpha_rule);
                           blas::caxpy(r, v, minus_alpha_of_rule);
                           step_rule.minus_alpha = minus_alpha_of_rule.values;
                           of_t = inner_->apply_with_products(t, r, {.with_x = true, .w = &r0, .at_once = &step});
                         }};

  // beta of right-hand side k, and rho of the next iteration
  const auto next_direction = [&](std::size_t k, const blas::ProductAndNorm& next) {
    beta[k] = 0.0;
    if (!state.active(k) || state.wants_restart(k)) return;
    beta[k] = (next.product[k] / rho[k]) * (alpha[k] / omega[k]);
    rho[k] = next.product[k];  // <r0, r>
    if (!detail::is_finite(beta[k]) || rho[k] == 0.0) {
      beta[k] = 0.0;
      if (next.norm2[k] > 0.0) state.break_down(k);  // r = 0 is the solution instead
    }
  };

  // What a rule left to the host, for right-hand side k alone: the middle of an iteration, and its end.
  const auto apply_alone = [&](std::size_t k) {
    SpinorField<S> r0_k = alone(r0, k), r_k = alone(r, k), t_k = alone(t, k);
    blas::caxpy(r_k, alone(v, k), {&minus_alpha[k], 1});
    const blas::Products of_t_k = inner_->apply_with_products(t_k, r_k, {.with_x = true, .w = &r0_k});
    of_t.y_norm2[k] = of_t_k.y_norm2[0];
    of_t.x_norm2[k] = of_t_k.x_norm2[0];
    of_t.y_x[k] = of_t_k.y_x[0];
    of_t.w_y[k] = of_t_k.w_y[0];
    of_t.w_x[k] = of_t_k.w_x[0];
    state.count_flops(inner_->flops());
  };
  const auto finish_alone = [&](std::size_t k, blas::ProductAndNorm& next) {
    SpinorField<S> x_k = alone(x, k), r_k = alone(r, k), p_k = alone(p, k);
    const blas::ProductAndNorm of_r_k =
        blas::stabilise(x_k, r_k, p_k, alone(t, k), alone(r0, k), {&alpha[k], 1}, {&omega[k], 1});
    next.product[k] = of_r_k.product[0];
    next.norm2[k] = of_r_k.norm2[0];
    next_direction(k, next);
    blas::redirect(p_k, r_k, alone(v, k), {&beta[k], 1}, {&omega[k], 1});
  };

  do {
    while (state.any_active()) {
      state.restart(start);

      const bool at_once = at_once_if_possible && state.may_go_on();
      shorten.done.clear();
      step.done.clear();
      for (std::size_t k = 0; at_once && k < n; ++k) {
        alpha_rule.rho[k] = step_rule.rho[k] = {rho[k].real(), rho[k].imag()};
        alpha_rule.r0_norm2[k] = r0_norm2[k];
        alpha_rule.active[k] = state.active(k) && !state.wants_restart(k);
      }
      const blas::Products of_v =
          inner_->apply_with_products(v, p, {.w = &r0, .at_once = at_once ? &shorten : nullptr});  // v = M p
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
        minus_alpha[k] = shorten.called() && shorten.done[k] ? 0.0 : -alpha[k];
      }
      if (shorten.called()) {
        for (std::size_t k = 0; k < n; ++k) {
          if (minus_alpha[k] == 0.0) continue;
          apply_alone(k);
          at_once_if_possible = false;  // it will not be the last time, and waiting costs less
        }
      } else {
        blas::caxpy(r, v, minus_alpha);                                        // r = r - alpha v
        of_t = inner_->apply_with_products(t, r, {.with_x = true, .w = &r0});  // t = M r
      }
      blas::ProductAndNorm next{blas::Complexes(n), of_t.x_norm2};  // <r0, r>, |r|^2
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
      if (step.called()) {
        for (std::size_t k = 0; k < n; ++k) {
          if (!step.done[k] && state.active(k) && !state.wants_restart(k)) {
            finish_alone(k, next);
          } else {
            next_direction(k, next);
          }
        }
        state.put_update_off(next.norm2);
      } else {
        const bool renew = state.update_due(next.norm2);
        if (renew) in_one_pass = false;
        if (!in_one_pass) next = blas::stabilise(x, r, p, t, r0, alpha, omega);  // x += alpha p + omega r, r -= omega t
        if (renew) {
          state.renew(r, next.norm2);  // r = b - M x
          next.product = blas::inner_product(r0, r);
        }
        for (std::size_t k = 0; k < n; ++k) next_direction(k, next);
        if (in_one_pass) {
          blas::stabilise_redirect(x, r, p, t, v, alpha, omega, beta);
        } else {
          blas::redirect(p, r, v, beta, omega);  // p = r + beta (p - omega v)
        }
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
