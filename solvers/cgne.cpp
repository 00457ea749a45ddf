// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/fused_updates.hpp"
#include "core/reductions/pending_reductions.hpp"
#include "solvers/solve_state.hpp"
#include "solvers/source_scale.hpp"
#include "solvers/step_length.hpp"

#include <kaon/solvers/cg.hpp>

#include <algorithm>
#include <utility>

namespace kaon {

// Vectors read and written in an iteration beside one application each of M and M^dag:
//   w = M p, |p|^2                     0, 0
//   r -= alpha w, |r|^2, <r, change>   2, 1
//   x += alpha p, p = z + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cgne<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b, const SolveRequest& request) const {
  detail::Targets targets = detail::make_targets(x_outer, b, this->parameters_.tolerance, request);
  if (auto result = detail::solve_scaled<T, S>(*this, x_outer, b, targets, request)) return std::move(*result);
  const LinearOperator<S>& inner = *this->inner_;
  detail::SolveState<T, S> state(*this->matrix_, x_outer, b, this->parameters_, request, std::move(targets));
  const std::size_t n = state.size();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 4);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2], &z = fields[3];
  blas::Reals r_norm2(n);

  // r = b - M x, p = M^dag r
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count), p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    inner.apply_dagger(p_k, r_k);
    std::copy(norm2.begin(), norm2.end(), r_norm2.begin() + first);
    return norm2;
  };
  state.begin(start(0, b.right_hand_sides()));

  const auto alpha_of = [&](std::size_t k) {  // |r|^2 / |p|^2
    return detail::StepLength{detail::StepLength::x_norm2, r_norm2[k], state.runs(k)};
  };
  const auto step_of = [&](std::size_t k) { return detail::FlexibleStep{r_norm2[k]}; };
  // The rest of an iteration for right-hand side k, which kernels declined; |r|^2.
  const auto finish_alone = [&](std::size_t k, const blas::Reals& alpha) {
    SpinorField<S> x_k = x.right_hand_side(k), p_k = p.right_hand_side(k), r_k = r.right_hand_side(k),
                   z_k = z.right_hand_side(k);
    auto of_r = detail::axpy_change(r_k, w.right_hand_side(k), -blas::Scalars(alpha), detail::no_function);
    of_r.wait();
    inner.apply_dagger(z_k, r_k);
    const blas::Reals change(1, detail::FlexibleStep::change(of_r.row(0)));
    blas::cg_update(x_k, p_k, z_k, detail::host_step(alpha, change, {r_norm2[k]}));
    state.count_flops(inner.flops());
    state.stop_running_ahead();
    return of_r.sum(0, 0);
  };
  // The |r|^2 of an iteration.
  const auto take_norms = [&](auto& of_w, const blas::Scalars& alpha, auto& of_r) {
    const blas::Products& products = of_w.wait();
    of_r.wait();
    blas::Reals norm2(n);
    for (std::size_t k = 0; k < n; ++k) {
      norm2[k] = of_r.sum(k, 0);
      if (alpha.has(k) || !state.runs(k)) continue;
      const double host_alpha = detail::alpha_on_host(state, k, alpha_of(k), products);
      norm2[k] = state.runs(k) ? finish_alone(k, {host_alpha}) : r_norm2[k];
    }
    return norm2;
  };

  do {
    while (state.any_active()) {
      state.restart(start);

      const bool ahead = state.can_run_ahead();
      auto of_w = inner.apply_and_reduce(w, p, {.x = true});          // w = M p, |p|^2
      const blas::Scalars alpha = of_w.scalars(alpha_of, ahead);      // alpha = |r|^2 / |p|^2
      auto of_r = detail::axpy_change(r, w, -alpha, step_of, alpha);  // r = r - alpha w, |r|^2
      blas::Reals norm2;
      if (!ahead) norm2 = take_norms(of_w, alpha, of_r);
      if (!ahead && state.update_due(norm2)) {
        blas::axpy(x, p, alpha);
        state.reliable_update(r, norm2);
        inner.apply_dagger(z, r);
        blas::xpay(p, z, detail::ratios(norm2, r_norm2));
      } else {
        inner.apply_dagger(z, r);                  // z = M^dag r
        blas::cg_update(x, p, z, of_r.scalars());  // x = x + alpha p, p = z + beta p
      }
      if (ahead) {
        norm2 = take_norms(of_w, alpha, of_r);
        state.defer_update(norm2);
      }
      r_norm2 = norm2;

      state.count_applications(2);
      state.count_blas(2 + 6 + 4);
      state.record(norm2);
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
