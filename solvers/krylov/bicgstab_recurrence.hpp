// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/solver_blas.hpp"
#include "core/reductions/products.hpp"
#include "core/reductions/scalar_function.hpp"
#include "solvers/contract/next_application.hpp"
#include "solvers/contract/solve_state.hpp"
#include "solvers/krylov/relaxation_scalars.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace kaon::detail {

// Scalar functions (core/reductions/scalar_function.hpp) of BiCGstab.

/// Below this, |<a, b>| / (|a| |b|) is rounding: dividing by it would wreck the recurrence.
inline constexpr double breakdown_cosine = 1e-15;
/// Below this part of the old one a new |r|^2 that is the difference of others is not worth much.
inline constexpr double smallest_difference = 1e-6;

/// From the reductions of v = M p and w = r0: alpha = rho / <r0, v>. Declines breakdowns.
struct BiCgStabAlpha {
  static constexpr int scalars = 1, earlier = 0;
  Complex<double> rho;
  double r0_norm2;
  bool runs;

  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_v, const Complex<double>*,
                                         Complex<double>* alpha) const {
    const Complex<double> sigma = of_v.w_y();
    alpha[0] = quotient(rho, sigma);
    return runs && is_more_than_rounding(sigma, breakdown_cosine, of_v.y_norm2(), r0_norm2) &&
           Kokkos::isfinite(of_v.y_norm2()) && Kokkos::isfinite(absolute(alpha[0]));
  }
};

/// From the reductions of t = M r, r and w = r0, and from alpha: the coefficients alpha, omega and beta of the updates
/// of x, r and p, then rho of the next residual. Declines where |r|^2 of that is mostly rounding.
struct BiCgStabStep {
  static constexpr int scalars = 4, earlier = 1;
  enum Scalar { at_alpha, at_omega, at_beta, at_next_rho };
  Complex<double> rho;

  /// <t, r> / |t|^2
  KOKKOS_INLINE_FUNCTION Complex<double> omega(const ReducedSums& of_t) const {
    return of_t.y_norm2() > 0.0 ? (1.0 / of_t.y_norm2()) * of_t.y_x() : Complex<double>{0.0, 0.0};
  }
  /// |r|^2 - |<t, r>|^2 / |t|^2
  KOKKOS_INLINE_FUNCTION double next_norm2(const ReducedSums& of_t) const {
    const double difference = of_t.x_norm2() - absolute(of_t.y_x()) * absolute(omega(of_t));
    return difference > 0.0 ? difference : 0.0;
  }
  /// (next rho / rho) (alpha / omega)
  KOKKOS_INLINE_FUNCTION Complex<double> beta(const Complex<double>& next_rho, const Complex<double>& alpha,
                                              const Complex<double>& omega) const {
    return quotient(next_rho, rho) * quotient(alpha, omega);
  }
  KOKKOS_INLINE_FUNCTION bool operator()(const ReducedSums& of_t, const Complex<double>* alpha,
                                         Complex<double>* step) const {
    const Complex<double> next_rho = of_t.w_x() - omega(of_t) * of_t.w_y();
    step[at_alpha] = alpha[0];
    step[at_omega] = omega(of_t);
    step[at_beta] = beta(next_rho, alpha[0], omega(of_t));
    step[at_next_rho] = next_rho;
    return of_t.y_norm2() > 0.0 && next_norm2(of_t) > smallest_difference * of_t.x_norm2() &&
           absolute(next_rho) > 0.0 && Kokkos::isfinite(absolute(step[at_omega])) &&
           Kokkos::isfinite(absolute(step[at_beta]));
  }
};

template <class T, class S>
struct BiCgStabFields {
  SolveState<T, S>& state;
  const LinearOperator<S>& inner;
  SpinorField<S>&x, &r, &r0, &p, &v, &t;
};

/// The coefficients of BiCGstab, and its rare branches: reliable updates, and right-hand sides for which kernels
/// declined to compute a coefficient. These continue with coefficients of the host, break down, or stop at NaN.
template <class T, class S>
class BiCgStabRecurrence {
 public:
  explicit BiCgStabRecurrence(const BiCgStabFields<T, S>& of)
      : r_norm2(of.state.size()),
        fields(of),
        of_direction(of.inner, of.v, of.p, {.w = &of.r0}, true),
        rho_(of.state.size()),
        r0_norm2_(of.state.size()) {}

  BiCgStabAlpha alpha_of(std::size_t k) const { return {complex(rho_[k]), r0_norm2_[k], fields.state.runs(k)}; }
  BiCgStabStep step_of(std::size_t k) const { return {complex(rho_[k])}; }

  /// r = b - M x, r0 = p = r, rho = <r0, r>
  blas::Reals start(int first, int count) {
    of_direction.forget();
    SpinorField<S> r = fields.r.range(first, count), r0 = fields.r0.range(first, count),
                   p = fields.p.range(first, count);
    const blas::Reals norm2 = fields.state.residual(r, first);
    blas::copy(r0, r);
    blas::copy(p, r);
    std::copy(norm2.begin(), norm2.end(), rho_.begin() + first);
    for (blas::Reals* norms : {&r0_norm2_, &r_norm2}) std::copy(norm2.begin(), norm2.end(), norms->begin() + first);
    return norm2;
  }

  /// Ends an iteration, with `update` for the right-hand sides that kernels did not decline; |r|^2.
  template <class Update>
  const blas::Reals& end(blas::PendingReductions& of_v, const blas::Scalars& alpha, blas::PendingReductions& of_t,
                         const blas::Scalars& step, const Update& update) {
    of_direction.end(
        fields.state, r_norm2, [&] { take(of_v, alpha, of_t); }, update,
        [&] { finish_in_two_passes(0, static_cast<int>(fields.state.size()), true); }, [&] { finish(step); });
    return r_norm2;
  }

  blas::Reals r_norm2;
  BiCgStabFields<T, S> fields;
  NextApplication<S> of_direction;  // v = M p, <r0, v>

 private:
  static Complex<double> complex(const std::complex<double>& z) { return {z.real(), z.imag()}; }
  static std::complex<double> host_complex(const Complex<double>& z) { return {z.re, z.im}; }

  /// Computes alpha, omega and |r|^2 of the next residual from the reductions of v = M p and t = M r.
  void take(blas::PendingReductions& of_v, const blas::Scalars& alpha, blas::PendingReductions& of_t) {
    SolveState<T, S>& state = fields.state;
    const blas::Products &v_products = of_v.wait(), &t_products = of_t.wait();
    alpha_.assign(state.size(), declined);
    omega_.assign(state.size(), declined);
    for (std::size_t k = 0; k < state.size(); ++k) {
      if (!state.runs(k)) continue;
      alpha_[k] = alpha.has(k) ? alpha(k) : alpha_on_host(k, v_products);
      if (!is_finite(alpha_[k])) continue;
      const auto sums = alpha.has(k) ? sums_of(t_products, k) : update_residual_alone(k);
      const ReducedSums of{sums.data()};
      omega_[k] = host_complex(step_of(k).omega(of));
      r_norm2[k] = step_of(k).next_norm2(of);
      if (!is_finite(of.y_norm2()) || !is_finite(omega_[k])) state.discard(k);
    }
  }
  /// Updates rho, from the scalars of `BiCgStabStep`, and the right-hand sides that kernels declined.
  void finish(const blas::Scalars& step) {
    for (std::size_t k = 0; k < fields.state.size(); ++k) {
      if (!fields.state.runs(k)) continue;
      if (step.has(k)) {
        rho_[k] = step(k, BiCgStabStep::at_next_rho);
      } else {
        finish_in_two_passes(static_cast<int>(k), 1, false);
      }
    }
  }

  /// alpha of right-hand side k, which kernels declined. NaN where it met NaN or broke down.
  std::complex<double> alpha_on_host(std::size_t k, const blas::Products& of_v) {
    const auto sums = sums_of(of_v, k);
    const Complex<double> alpha = apply_on_host(alpha_of(k), sums.data(), nullptr)[0];
    if (is_finite(alpha.re)) return host_complex(alpha);
    const ReducedSums of{sums.data()};
    if (is_finite(of.y_norm2() + of.w_y().re + of.w_y().im)) {
      fields.state.break_down(k);
    } else {
      fields.state.discard(k);
    }
    return declined;
  }
  /// r = r - alpha v, t = M r; the reductions of t.
  std::array<double, 8> update_residual_alone(std::size_t k) {
    const SpinorField<S> r0 = fields.r0.right_hand_side(k);
    SpinorField<S> r = fields.r.right_hand_side(k), t = fields.t.right_hand_side(k);
    blas::caxpy(r, fields.v.right_hand_side(k), -alpha_[k]);
    fields.state.count_flops(flops_of(fields.inner));
    fields.state.stop_running_ahead();
    return sums_of(fields.inner.apply_and_reduce(t, r, {.x = true, .w = &r0}).wait(), 0);
  }
  /// x = x + alpha p + omega r, r = r - omega t, a reliable update of all if it is due, then p = r + beta (p - omega
  /// v): for right-hand sides [first, first + count).
  void finish_in_two_passes(int first, int count, bool update) {
    of_direction.forget();
    SolveState<T, S>& state = fields.state;
    SpinorField<S> x = fields.x.range(first, count), r = fields.r.range(first, count), p = fields.p.range(first, count);
    const SpinorField<S> r0 = fields.r0.range(first, count), t = fields.t.range(first, count),
                         v = fields.v.range(first, count);
    const auto size = static_cast<std::size_t>(count);
    const auto alpha = std::span(std::as_const(alpha_)).subspan(static_cast<std::size_t>(first), size);
    const auto omega = std::span(std::as_const(omega_)).subspan(static_cast<std::size_t>(first), size);
    blas::ProductAndNorm next = blas::bicgstab_update_xr(x, r, p, t, r0, {alpha, omega});  // <r0, r>, |r|^2
    if (update) {
      state.reliable_update(fields.r, next.norm2);
      next.product = blas::inner_product(fields.r0, fields.r);
    }
    blas::Complexes beta(size, declined);
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t k = static_cast<std::size_t>(first) + j;
      if (update || state.runs(k)) r_norm2[k] = next.norm2[j];
      if (!state.runs(k)) continue;
      beta[j] = host_complex(step_of(k).beta(complex(next.product[j]), complex(alpha[j]), complex(omega[j])));
      rho_[k] = next.product[j];
      if (is_finite(beta[j]) && rho_[k] != 0.0) continue;
      beta[j] = 0.0;
      if (r_norm2[k] > 0.0) state.break_down(k);  // r = 0 is the solution instead
    }
    blas::bicgstab_update_p(p, r, v, {beta, omega});
  }

  blas::Complexes rho_, alpha_{}, omega_{};
  blas::Reals r0_norm2_;
};

}  // namespace kaon::detail
