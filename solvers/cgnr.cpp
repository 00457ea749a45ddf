// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas_at_once.hpp"
#include "core/blas_operations.hpp"
#include "solvers/solve_state.hpp"
#include "solvers/step_length.hpp"

#include <kaon/solvers/cg.hpp>

#include <optional>

namespace kaon {
namespace {

using detail::alone;
using detail::Complex;

/// alpha and beta = |z|^2 new / old of the end of a step, for right-hand sides of which alpha was computed
struct BetaRule {
  static constexpr int coefficients = 2;
  double z_norm2[detail::blas_batch];
  const Complex<double>* minus_alpha;

  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* c) const {
    c[0] = {-minus_alpha[k].re, 0.0};
    c[1] = {sums[0] / z_norm2[k], 0.0};
    return c[0].re == c[0].re && Kokkos::isfinite(c[1].re);
  }
};

}  // namespace

// Vectors read and written in an iteration beside one application each of M and M^dag:
//   w = M p, |w|^2                     0, 0
//   r -= alpha w, |r|^2                2, 1
//   z = M^dag r, |z|^2                 0, 0
//   x += alpha p, p = z + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cgnr<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b,
                              std::span<const double> residual_norms) const {
  detail::SolveState<T, S> state(*matrix_, x_outer, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 4);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2], &z = fields[3];
  blas::Reals z_norm2(n), alpha(n), minus_alpha(n), beta(n);

  // r = b - M x, p = z = M^dag r
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count);
    SpinorField<S> p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    inner_->apply_dagger(p_k, r_k);
    const blas::Reals p_norm2 = blas::norm2(p_k);
    for (std::size_t k = 0; k < p_norm2.size(); ++k) z_norm2[static_cast<std::size_t>(first) + k] = p_norm2[k];
    return norm2;
  };
  state.begin(start(0, right_hand_sides));

  // What comes after sums, where a device can do it before the host has seen them: the whole iteration.
  bool at_once_if_possible = detail::may_go_on_at_once(b.lattice(), n);
  detail::StepLengthRule alpha_rule{.product = 0, .numerator = {}, .active = {}};
  BetaRule beta_rule{};
  std::optional<detail::SumsInFlight> of_r;  // |r|^2
  blas::Reals next_norm2;                    // |z|^2
  detail::AtOnce step{.slot = 3,
                      .enqueue = [&](detail::PartsOfSums& of_z) { blas::advance(x, p, z, of_z.add(beta_rule)); }};
  detail::AtOnce shorten{.slot = 2, .enqueue = [&](detail::PartsOfSums& of_w) {
                           const detail::ComputedCoefficients<1> minus_alpha_of_rule = of_w.add(alpha_rule);
                           of_r.emplace(detail::run_blas_at_once<blas::ops::AxpyNorm2, S>(
                               "kaon::blas::axpy_norm2", {&r, &w},
                               detail::KernelCoefficients<S, blas::ops::AxpyNorm2>{minus_alpha_of_rule}));
                           beta_rule.minus_alpha = minus_alpha_of_rule.values;
                           next_norm2 = inner_->apply_dagger_with_products(z, r, {.at_once = &step}).y_norm2;
                         }};

  do {
    while (state.any_active()) {
      state.restart(start);

      const bool at_once = at_once_if_possible && state.may_go_on();
      shorten.done.clear();
      step.done.clear();
      for (std::size_t k = 0; at_once && k < n; ++k) {
        alpha_rule.active[k] = state.active(k);
        alpha_rule.numerator[k] = beta_rule.z_norm2[k] = z_norm2[k];
      }
      const blas::Reals w_norm2 =
          inner_->apply_with_products(w, p, {.at_once = at_once ? &shorten : nullptr}).y_norm2;  // w = M p
      for (std::size_t k = 0; k < n; ++k) {
        alpha[k] = 0.0;
        if (!state.active(k)) continue;
        if (!detail::is_finite(w_norm2[k])) {
          state.quarantine(k, {&p, &w, &r});
        } else if (w_norm2[k] == 0.0) {
          state.stop(k, SolveStatus::breakdown);  // p is a zero mode of M, or M^dag r vanished
        } else {
          alpha[k] = z_norm2[k] / w_norm2[k];  // alpha = |z|^2 / |w|^2
        }
      }
      for (std::size_t k = 0; k < n; ++k) minus_alpha[k] = -alpha[k];
      blas::Reals r_norm2(n);
      bool renewed = false;
      if (!shorten.called()) {
        r_norm2 = blas::axpy_norm2(r, w, minus_alpha);  // r = r - alpha w
        if (!at_once) renewed = state.renew_if_due(r, r_norm2, p, alpha);
        next_norm2 = inner_->apply_dagger_with_products(z, r, {}).y_norm2;  // z = M^dag r
      } else {
        of_r->wait();
        for (std::size_t k = 0; k < n; ++k) {
          if (shorten.done[k]) {
            r_norm2[k] = of_r->sum(static_cast<int>(k), 0);
          } else if (alpha[k] != 0.0) {
            SpinorField<S> r_k = alone(r, k), z_k = alone(z, k);
            r_norm2[k] = blas::axpy_norm2(r_k, alone(w, k), {&minus_alpha[k], 1})[0];
            next_norm2[k] = inner_->apply_dagger_with_products(z_k, r_k, {}).y_norm2[0];
            state.count_flops(inner_->flops());
            at_once_if_possible = false;  // it will not be the last time, and waiting costs less
          }
        }
      }
      if (renewed) detail::make_orthogonal(p, z, next_norm2);
      for (std::size_t k = 0; k < n; ++k) {
        beta[k] = state.active(k) && z_norm2[k] > 0.0 ? next_norm2[k] / z_norm2[k] : 0.0;
        z_norm2[k] = next_norm2[k];
        if (detail::is_finite(next_norm2[k])) continue;
        alpha[k] = beta[k] = 0.0;
        state.quarantine(k, {&p, &w, &r, &z});
      }
      if (!step.called()) {
        blas::advance(x, p, z, alpha, beta);  // x = x + alpha p, p = z + beta p
      } else {
        for (std::size_t k = 0; k < n; ++k) {
          if (step.done[k] || !state.active(k)) continue;
          SpinorField<S> x_k = alone(x, k), p_k = alone(p, k);
          blas::advance(x_k, p_k, alone(z, k), {&alpha[k], 1}, {&beta[k], 1});
        }
      }
      if (at_once) state.put_update_off(r_norm2);

      state.count_applications(2);
      state.count_blas(2 + 4 + 2 + 4);
      state.record(r_norm2);
    }
  } while (state.check_true_residuals(w));
  return state.finish();
}

template class Cgnr<double>;
template class Cgnr<float>;
template class Cgnr<half>;
template class Cgnr<double, float>;
template class Cgnr<double, half>;
template class Cgnr<float, half>;

}  // namespace kaon
