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

// Vectors read and written in an iteration beside one application of A:
//   A p, <p, A p>                      0, 0
//   r -= alpha A p, |r|^2, <r, change> 2, 1
//   x += alpha p, p = r + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cg<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b, const SolveRequest& request) const {
  detail::Targets targets = detail::make_targets(x_outer, b, this->parameters_.tolerance, request);
  if (auto result = detail::solve_scaled<T, S>(*this, x_outer, b, targets, request)) return std::move(*result);
  const LinearOperator<S>& inner = *this->inner_;
  detail::SolveState<T, S> state(*this->matrix_, x_outer, b, this->parameters_, request, std::move(targets));
  const std::size_t n = state.size();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 3);
  SpinorField<S>&r = fields[0], &p = fields[1], &ap = fields[2];
  blas::Reals r_norm2(n);

  // r = p = b - A x
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count), p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    blas::copy(p_k, r_k);
    std::copy(norm2.begin(), norm2.end(), r_norm2.begin() + first);
    return norm2;
  };
  state.begin(start(0, b.right_hand_sides()));

  const auto alpha_of = [&](std::size_t k) {  // |r|^2 / <p, A p>
    return detail::StepLength{detail::StepLength::y_x, r_norm2[k], state.runs(k)};
  };
  const auto step_of = [&](std::size_t k) { return detail::FlexibleStep{r_norm2[k]}; };
  // The rest of an iteration for right-hand side k, which kernels declined; |r|^2.
  const auto finish_alone = [&](std::size_t k, const blas::Reals& alpha) {
    SpinorField<S> x_k = x.right_hand_side(k), p_k = p.right_hand_side(k), r_k = r.right_hand_side(k);
    auto of_r = detail::axpy_change(r_k, ap.right_hand_side(k), -blas::Scalars(alpha), detail::no_function);
    of_r.wait();
    const blas::Reals change(1, detail::FlexibleStep::change(of_r.row(0)));
    blas::cg_update(x_k, p_k, r_k, detail::host_step(alpha, change, {r_norm2[k]}));
    state.stop_running_ahead();
    return of_r.sum(0, 0);
  };

  do {
    while (state.any_active()) {
      state.restart(start);

      const bool ahead = state.can_run_ahead();
      auto of_ap = inner.apply_and_reduce(ap, p, {.norm = false, .x = true});  // A p, <p, A p>
      const blas::Scalars alpha = of_ap.scalars(alpha_of, ahead);              // alpha = |r|^2 / <p, A p>
      auto of_r = detail::axpy_change(r, ap, -alpha, step_of, alpha);          // r = r - alpha A p, |r|^2
      if (ahead) blas::cg_update(x, p, r, of_r.scalars());                     // x = x + alpha p, p = r + beta p

      const blas::Products& products = of_ap.wait();
      of_r.wait();
      blas::Reals norm2(n);
      for (std::size_t k = 0; k < n; ++k) {
        norm2[k] = of_r.sum(k, 0);
        if (alpha.has(k) || !state.runs(k)) continue;
        const double host_alpha = detail::alpha_on_host(state, k, alpha_of(k), products);
        norm2[k] = state.runs(k) ? finish_alone(k, {host_alpha}) : r_norm2[k];
      }
      if (ahead) {
        state.defer_update(norm2);
      } else if (state.update_due(norm2)) {
        blas::axpy(x, p, alpha);
        state.reliable_update(r, norm2);
        detail::make_orthogonal(p, r, norm2);
        blas::xpay(p, r, detail::ratios(norm2, r_norm2));
      } else {
        blas::cg_update(x, p, r, of_r.scalars());
      }
      r_norm2 = norm2;

      state.count_applications(1);
      state.count_blas(4 + 6 + 4);
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
