// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas_at_once.hpp"
#include "core/blas_operations.hpp"
#include "solvers/solve_state.hpp"
#include "solvers/step_length.hpp"

#include <kaon/solvers/cg.hpp>

#include <optional>

namespace kaon {

// Vectors read and written in an iteration beside one application each of M and M^dag:
//   w = M p, |p|^2                     0, 0
//   r -= alpha w, |r|^2                2, 1
//   x += alpha p, p = z + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cgne<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b,
                              std::span<const double> residual_norms) const {
  detail::SolveState<T, S> state(*matrix_, x_outer, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 4);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2], &z = fields[3];
  blas::Reals r_norm2(n), alpha(n), minus_alpha(n), beta(n);

  // r = b - M x, p = M^dag r
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count);
    SpinorField<S> p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    inner_->apply_dagger(p_k, r_k);
    for (std::size_t k = 0; k < norm2.size(); ++k) r_norm2[static_cast<std::size_t>(first) + k] = norm2[k];
    return norm2;
  };
  state.begin(start(0, right_hand_sides));

  // What comes after |p|^2, where a device can do it before the host has seen that.
  bool at_once_if_possible = detail::may_go_on_at_once(b.lattice(), n);
  detail::StepLengthRule alpha_rule{.product = 3, .numerator = {}, .active = {}};
  std::optional<detail::SumsInFlight> of_r;  // |r|^2
  detail::AtOnce shorten{.slot = 2, .enqueue = [&](detail::PartsOfSums& of_w) {
                           of_r.emplace(detail::run_blas_at_once<blas::ops::AxpyNorm2, S>(
                               "kaon::blas::axpy_norm2", {&r, &w},
                               detail::KernelCoefficients<S, blas::ops::AxpyNorm2>{of_w.add(alpha_rule)}));
                           inner_->apply_dagger(z, r);
                         }};

  do {
    while (state.any_active()) {
      state.restart(start);

      const bool at_once = at_once_if_possible && state.may_go_on();
      shorten.done.clear();
      for (std::size_t k = 0; at_once && k < n; ++k) {
        alpha_rule.active[k] = state.active(k);
        alpha_rule.numerator[k] = r_norm2[k];
      }
      const blas::Reals p_norm2 =
          inner_->apply_with_products(w, p, {.with_x = true, .at_once = at_once ? &shorten : nullptr})
              .x_norm2;  // w = M p
      for (std::size_t k = 0; k < n; ++k) {
        alpha[k] = 0.0;
        if (!state.active(k)) continue;
        if (!detail::is_finite(p_norm2[k])) {
          state.quarantine(k, {&p, &w, &r, &z});
        } else if (p_norm2[k] == 0.0) {
          state.stop(k, SolveStatus::breakdown);  // M^dag r vanished though r did not
        } else {
          alpha[k] = r_norm2[k] / p_norm2[k];  // alpha = |r|^2 / |p|^2
        }
      }
      for (std::size_t k = 0; k < n; ++k) minus_alpha[k] = -alpha[k];
      blas::Reals next_norm2(n);
      if (!shorten.called()) {
        next_norm2 = blas::axpy_norm2(r, w, minus_alpha);  // r = r - alpha w
        state.renew_if_due(r, next_norm2, p, alpha);
        inner_->apply_dagger(z, r);  // z = M^dag r
      } else {
        for (std::size_t k = 0; k < n; ++k) {
          if (shorten.done[k] || alpha[k] == 0.0) continue;
          SpinorField<S> r_k = detail::alone(r, k), z_k = detail::alone(z, k);
          next_norm2[k] = blas::axpy_norm2(r_k, detail::alone(w, k), {&minus_alpha[k], 1})[0];
          inner_->apply_dagger(z_k, r_k);
          state.count_flops(inner_->flops());
          at_once_if_possible = false;  // it will not be the last time, and waiting costs less
        }
        of_r->wait();
        for (std::size_t k = 0; k < n; ++k) {
          if (shorten.done[k]) next_norm2[k] = of_r->sum(static_cast<int>(k), 0);
        }
        state.put_update_off(next_norm2);
      }
      for (std::size_t k = 0; k < n; ++k) {
        beta[k] = state.active(k) ? next_norm2[k] / r_norm2[k] : 0.0;
        r_norm2[k] = next_norm2[k];
        if (detail::is_finite(next_norm2[k])) continue;
        alpha[k] = beta[k] = 0.0;  // p may be sound while w is not: then r is lost, but x need not be
        state.quarantine(k, {&p, &w, &r, &z});
      }
      blas::advance(x, p, z, alpha, beta);  // x = x + alpha p, p = z + beta p

      state.count_applications(2);
      state.count_blas(2 + 4 + 4);
      state.record(next_norm2);
    }
  } while (state.check_true_residuals(w));
  return state.finish();
}

template class Cgne<double>;
template class Cgne<float>;
template class Cgne<half>;
template class Cgne<double, float>;
template class Cgne<double, half>;
template class Cgne<float, half>;

}  // namespace kaon
