// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/kernel_scalars.hpp"
#include "core/reductions/pending_reductions.hpp"
#include "solvers/contract/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace kaon {

template <class T, class S>
FlexibleCgnr<T, S>::FlexibleCgnr(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner,
                                 Ref<LinearOperator<S>> preconditioner, const SolverParameters& parameters)
    : MixedKrylov<T, S>(std::move(matrix), std::move(inner), parameters), preconditioner_(std::move(preconditioner)) {
  require(this->inner_->domain() == preconditioner_->domain(), "the preconditioner acts on fields of another shape");
}

// Vectors read and written in an iteration beside one application each of M, M^dag and K:
//   z = K g, <z, g>, <z, last g>       4, 0
//   p = z + beta p                     2, 1
//   w = M p, |w|^2                     0, 0
//   x += alpha p                       2, 1
//   r -= alpha w, |r|^2                2, 1   in all 10 read, 3 written
template <class T, class S>
SolveResult FlexibleCgnr<T, S>::run(detail::SolveState<T, S>& state) const {
  const LinearOperator<S>& inner = *this->inner_;
  const std::size_t n = state.size();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 6);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2], &z = fields[3];
  SpinorField<S>*g = &fields[4], *last_g = &fields[5];
  blas::Reals r_norm2(n), z_g(n, 0.0);  // <z, g> of the last step
  std::vector<bool> fresh(n, true);     // without a direction

  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    std::copy(norm2.begin(), norm2.end(), r_norm2.begin() + first);
    std::fill_n(fresh.begin() + first, count, true);
    return norm2;
  };
  // p = z + beta p, beta = <z, g - last g> / <last z, last g>, or p = z
  const auto turn = [&] {
    std::swap(g, last_g);
    adjoint_->apply_dagger(*g, r);
    for (std::size_t k = 0; k < n; ++k) {
      if (!state.runs(k)) blas::set_zero(g->right_hand_side(k));  // which inner solvers skip
    }
    preconditioner_->apply(z, *g);
    const blas::Complexes next = blas::inner_product(z, *g), last = blas::inner_product(z, *last_g);
    blas::Reals beta(n, detail::declined);
    for (std::size_t k = 0; k < n; ++k) {
      if (!state.runs(k)) continue;
      const double product = next[k].real();
      if (!detail::is_finite(product)) {
        state.discard(k, {&p, &z});
      } else if (!(product > 0.0)) {
        state.break_down(k);
      } else {
        beta[k] = fresh[k] ? 0.0 : std::max(0.0, (product - last[k].real()) / z_g[k]);
        if (fresh[k]) blas::set_zero(p.right_hand_side(k));
      }
      z_g[k] = product;
      fresh[k] = false;
    }
    blas::xpay(p, z, beta);
  };
  const auto iterate = [&]() -> const blas::Reals& {
    turn();
    auto pending = inner.apply_and_reduce(w, p, {});  // w = M p, |w|^2
    const blas::Products& of_w = pending.wait();
    blas::Reals alpha(n, detail::declined), minus_alpha(n, detail::declined);
    for (std::size_t k = 0; k < n; ++k) {
      if (!state.runs(k)) continue;
      const double step = z_g[k] / of_w.y_norm2[k];
      if (!detail::is_finite(step)) {
        if (detail::is_finite(of_w.y_norm2[k]))
          state.break_down(k);
        else
          state.discard(k, {&p, &w});
        continue;
      }
      alpha[k] = step;
      minus_alpha[k] = -step;
    }
    blas::axpy(x, p, alpha);
    const blas::Reals norm2 = blas::axpy_norm2(r, w, minus_alpha);
    for (std::size_t k = 0; k < n; ++k) {
      if (state.runs(k) && alpha[k] == alpha[k]) r_norm2[k] = norm2[k];
    }
    if (state.update_due(r_norm2)) state.reliable_update(r, r_norm2);
    state.count_applications(2);
    state.count_flops(flops_of(*preconditioner_) * static_cast<double>(n));
    state.count_blas(8 + 4 + 4 + 4 + 2);
    return r_norm2;
  };
  return state.run(start, iterate, w);
}

template class FlexibleCgnr<float>;
template class FlexibleCgnr<double, float>;

}  // namespace kaon
