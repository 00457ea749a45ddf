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

/// alpha and beta = |r|^2 new / old of the end of a step
struct BetaRule {
  static constexpr int coefficients = 2;
  const Complex<double>* minus_alpha;  // null: they are in `alpha`
  double alpha[detail::blas_batch];    // NaN for right-hand sides that do not run
  double r_norm2[detail::blas_batch];

  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* c) const {
    c[0] = {minus_alpha != nullptr ? -minus_alpha[k].re : alpha[k], 0.0};
    c[1] = {sums[0] / r_norm2[k], 0.0};
    return Kokkos::isfinite(c[0].re) && Kokkos::isfinite(c[1].re);
  }
};

}  // namespace

// Vectors read and written in an iteration beside one application of A:
//   A p, <p, A p>                      0, 0
//   r -= alpha A p, |r|^2              2, 1
//   x += alpha p, p = r + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cg<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b,
                            std::span<const double> residual_norms) const {
  detail::SolveState<T, S> state(*matrix_, x_outer, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 3);
  SpinorField<S>&r = fields[0], &p = fields[1], &ap = fields[2];
  blas::Reals r_norm2(n), alpha(n), minus_alpha(n), beta(n);

  // r = p = b - A x
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count);
    SpinorField<S> p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    blas::copy(p_k, r_k);
    for (std::size_t k = 0; k < norm2.size(); ++k) r_norm2[static_cast<std::size_t>(first) + k] = norm2[k];
    return norm2;
  };
  state.begin(start(0, right_hand_sides));

  // What comes after sums, where a device can do it before the host has seen them.
  const bool at_once_if_possible = detail::may_go_on_at_once(b.lattice(), n);
  detail::StepLengthRule alpha_rule{.product = 1, .numerator = {}, .active = {}};
  BetaRule beta_rule{};
  std::optional<detail::SumsInFlight> next;  // |r|^2
  const auto finish_at_once = [&](const auto& minus_alpha_of_kernel) {
    next.emplace(detail::run_blas_at_once<blas::ops::AxpyNorm2, S>("kaon::blas::axpy_norm2", {&r, &ap},
                                                                   minus_alpha_of_kernel, beta_rule));
    blas::advance(x, p, r, next->template coefficients<2>());
  };
  detail::AtOnce step{.enqueue = [&](detail::PartsOfSums& of_ap) {
    const detail::ComputedCoefficients<1> computed = of_ap.add(alpha_rule);
    beta_rule.minus_alpha = computed.values;
    finish_at_once(detail::KernelCoefficients<S, blas::ops::AxpyNorm2>{computed});
  }};
  // The end of an iteration for right-hand side k alone, which a rule left to the host.
  const auto finish_alone = [&](std::size_t k, double norm2) {
    SpinorField<S> x_k = alone(x, k), p_k = alone(p, k), r_k = alone(r, k);
    if (step.called() && !step.done[k]) norm2 = blas::axpy_norm2(r_k, alone(ap, k), {&minus_alpha[k], 1})[0];
    beta[k] = norm2 / r_norm2[k];
    if (detail::is_finite(beta[k])) blas::advance(x_k, p_k, r_k, {&alpha[k], 1}, {&beta[k], 1});
    return norm2;
  };

  do {
    while (state.any_active()) {
      state.restart(start);

      const bool at_once = at_once_if_possible && state.may_go_on();
      step.done.clear();
      for (std::size_t k = 0; at_once && k < n; ++k) {
        alpha_rule.active[k] = state.active(k);
        alpha_rule.numerator[k] = beta_rule.r_norm2[k] = r_norm2[k];
      }
      const blas::Complexes p_ap =
          inner_->apply_with_products(ap, p, {.with_x = true, .y_norm2 = false, .at_once = at_once ? &step : nullptr})
              .y_x;
      for (std::size_t k = 0; k < n; ++k) {
        alpha[k] = 0.0;
        if (!detail::is_finite(p_ap[k])) {
          state.quarantine(k, {&p, &ap, &r});
        } else if (!state.active(k)) {
          continue;
        } else if (p_ap[k].real() <= 0.0) {
          state.stop(k, SolveStatus::breakdown);  // A is not positive
        } else {
          alpha[k] = r_norm2[k] / p_ap[k].real();  // alpha = |r|^2 / <p, A p>
        }
      }
      for (std::size_t k = 0; k < n; ++k) minus_alpha[k] = -alpha[k];
      blas::Reals norm2(n);
      if (at_once) {
        if (!step.called()) {
          beta_rule.minus_alpha = nullptr;
          for (std::size_t k = 0; k < n; ++k) beta_rule.alpha[k] = state.active(k) ? alpha[k] : detail::not_computed;
          finish_at_once(detail::given_coefficients<blas::ops::AxpyNorm2, S>(
              {blas::Complexes(minus_alpha.begin(), minus_alpha.end())}, right_hand_sides, 0, right_hand_sides));
        }
        next->wait();
        const std::vector<bool> done = next->done();
        for (std::size_t k = 0; k < n; ++k) {
          norm2[k] = next->sum(static_cast<int>(k), 0);
          if (!done[k] && state.active(k)) norm2[k] = finish_alone(k, norm2[k]);
        }
        state.put_update_off(norm2);
      } else {
        norm2 = blas::axpy_norm2(r, ap, minus_alpha);  // r = r - alpha A p
        if (state.renew_if_due(r, norm2, p, alpha)) detail::make_orthogonal(p, r, norm2);
        for (std::size_t k = 0; k < n; ++k) {
          beta[k] = state.active(k) ? norm2[k] / r_norm2[k] : 0.0;  // beta = |r|^2 new / old
        }
        blas::advance(x, p, r, alpha, beta);  // x = x + alpha p, p = r + beta p
      }
      r_norm2 = norm2;

      state.count_applications(1);
      state.count_blas(4 + 4 + 4);
      state.record(norm2);
    }
  } while (state.check_true_residuals(ap));
  return state.finish();
}

template class Cg<double>;
template class Cg<float>;
template class Cg<half>;
template class Cg<double, float>;
template class Cg<double, half>;
template class Cg<float, half>;

}  // namespace kaon
