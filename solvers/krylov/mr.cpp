// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/fused_updates.hpp"
#include "core/blas/solver_blas.hpp"
#include "core/reductions/pending_reductions.hpp"
#include "solvers/contract/solve_state.hpp"
#include "solvers/krylov/relaxation_scalars.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/krylov.hpp>

#include <fmt/format.h>

#include <utility>

namespace kaon {
template <class T>
Mr<T>::Mr(Ref<LinearOperator<T>> matrix, const MrParameters& parameters)
    : matrix_(std::move(matrix)), parameters_(parameters) {
  detail::require_bounds(parameters.solve);
  require(parameters.omega > 0.0 && parameters.omega < 2.0, [&] {
    return fmt::format("minimal residuals need a relaxation omega between 0 and 2, got {}", parameters.omega);
  });
  require(parameters.steps >= 1,
          [&] { return fmt::format("minimal residuals need at least one step, got {}", parameters.steps); });
}

// Vectors read and written in an iteration beside one application of M:
//   t = M r, <t, r>, |t|^2               0, 0
//   x += alpha r, r -= alpha t, |r|^2    3, 2   in all 3 read, 2 written
template <class T>
SolveResult Mr<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  detail::SolveState<T> state(*matrix_, x, b, parameters_.solve, request);
  detail::Temporaries<T> fields(b.lattice(), b.parameters(), 2);
  SpinorField<T>&r = fields[0], &t = fields[1];
  const auto start = [&](int first, int count) {  // r = b - M x
    SpinorField<T> r_k = r.range(first, count);
    return state.residual(r_k, first);
  };
  const auto alpha_of = [&](std::size_t k) { return detail::Relaxation{parameters_.omega, state.runs(k)}; };

  const auto iterate = [&] {
    auto of_t = matrix_->apply_and_reduce(t, r, {.x = true});                   // t = M r
    const blas::Scalars alpha = of_t.scalars(alpha_of, state.can_run_ahead());  // alpha = omega <t, r> / |t|^2
    auto of_r = detail::mr_update_norm2(x, r, t, alpha, detail::no_function);   // x = x + alpha r, r = r - alpha t

    const blas::Products& products = of_t.wait();
    blas::Reals r_norm2 = of_r.wait();
    for (std::size_t k = 0; k < state.size(); ++k) {
      if (alpha.has(k) || !state.runs(k)) continue;
      const auto sums = detail::sums_of(products, k);
      const detail::Complex<double> host_alpha = detail::apply_on_host(alpha_of(k), sums.data(), nullptr)[0];
      if (!detail::is_finite(products.y_norm2[k]) || !detail::is_finite(products.y_x[k])) {
        state.discard(k);
      } else if (!detail::is_finite(host_alpha.re)) {
        state.stop(k, SolveStatus::breakdown);
        r_norm2[k] = products.x_norm2[k];
      } else {
        SpinorField<T> x_k = x.right_hand_side(k), r_k = r.right_hand_side(k);
        r_norm2[k] =
            blas::mr_update_norm2(x_k, r_k, t.right_hand_side(k), blas::Complexes{{host_alpha.re, host_alpha.im}})[0];
        state.stop_running_ahead();
      }
    }

    state.count_applications(1);
    state.count_blas(6 + 8 + 2);
    return r_norm2;
  };
  return state.run(start, iterate, t);
}

// Vectors read and written in a step beside one application of M:
//   t = M r, <t, r>, |t|^2       0, 0
//   x += alpha r, r -= alpha t   3, 2   in all 3 read, 2 written; 2 and 1 in the last, which needs no r
// Before the first, x = 0 and r = scale in: 1, 2; and but in double one read for the scale. The host waits for nothing
// where kernels can do all this.
template <class T>
void Mr<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  const auto fields = matrix_->keep_fields(scratch_, 2, in.right_hand_sides());
  SpinorField<T>&r = fields[0], &t = fields[1];
  const blas::Scalars scale = detail::start_from_zero(out, r, in);  // x = 0, r = scale in
  for (int step = 1; step <= parameters_.steps; ++step) {
    auto of_t = matrix_->apply_and_reduce(t, r, {.x = true});  // t = M r
    const auto relaxation = [&](std::size_t) { return detail::ScaledRelaxation{parameters_.omega}; };
    const blas::Scalars alpha = of_t.unattended_scalars(relaxation, scale);  // alpha = omega <t, r> / |t|^2
    if (step < parameters_.steps) {
      detail::scaled_mr_update(out, r, t, alpha);  // x = x + alpha r / scale, r = r - alpha t
    } else {
      blas::caxpy(out, r, alpha);
    }
  }
}

template class Mr<double>;
template class Mr<float>;
template class Mr<half>;

}  // namespace kaon
