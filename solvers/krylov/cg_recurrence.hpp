// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/fused_updates.hpp"
#include "core/reductions/pending_reductions.hpp"
#include "solvers/contract/next_application.hpp"
#include "solvers/contract/solve_state.hpp"
#include "solvers/contract/step_length.hpp"

#include <algorithm>

namespace kaon::detail {

/// Conjugate gradients that iterate a residual r, w = A p, and take their directions from z: r itself, or M^dag r.
template <class T, class S>
struct CgRecurrence {
  SolveState<T, S>& state;
  const LinearOperator<S>& inner;
  const Adjointable<S>* adjoint;  ///< of `inner`, where z = M^dag r; else null, and z is r
  SpinorField<S>&x, &r, &p, &w, &z;
  blas::Reals r_norm2{};
  /// w = A p with <p, w>, or with |p|^2 where z = M^dag r.
  NextApplication<S> of_direction{inner, w, p, {.norm = adjoint != nullptr, .x = true}};

  StepLength alpha_of(std::size_t k) const {
    return {adjoint == nullptr ? StepLength::y_x : StepLength::x_norm2, r_norm2[k], state.runs(k)};
  }
  FlexibleStep step_of(std::size_t k) const { return {r_norm2[k]}; }

  /// r = b - M x, p = r or M^dag r
  blas::Reals start(int first, int count) {
    SpinorField<S> r_k = r.range(first, count), p_k = p.range(first, count);
    of_direction.forget();
    const blas::Reals norm2 = state.residual(r_k, first);
    if (adjoint != nullptr) {
      adjoint->apply_dagger(p_k, r_k);
    } else {
      blas::copy(p_k, r_k);
    }
    r_norm2.resize(state.size());
    std::copy(norm2.begin(), norm2.end(), r_norm2.begin() + first);
    return norm2;
  }
  /// Ends an iteration, with `update` of x and p for the right-hand sides that kernels did not decline; |r|^2.
  template <class OfResidual, class Update>
  const blas::Reals& end(blas::PendingReductions& of_w, const blas::Scalars& alpha, OfResidual& of_r,
                         const Update& update) {
    blas::Reals norm2;
    of_direction.end(
        state, norm2, [&] { norm2 = take(of_w.wait(), alpha, of_r); }, update, [&] { update_reliably(alpha, norm2); },
        [] {});
    return r_norm2 = norm2;
  }

 private:
  /// |r|^2 after an iteration. Right-hand sides that kernels declined make it now, or end.
  template <class OfResidual>
  blas::Reals take(const blas::Products& of_w, const blas::Scalars& alpha, OfResidual& of_r) {
    of_r.wait();
    blas::Reals norm2(state.size());
    for (std::size_t k = 0; k < state.size(); ++k) {
      norm2[k] = of_r.sum(k, 0);
      if (!state.runs(k)) continue;
      const double step = alpha.has(k) ? alpha(k).real() : alpha_on_host(state, k, alpha_of(k), of_w);
      if (!alpha.has(k)) norm2[k] = state.runs(k) ? iterate_alone(k, step) : r_norm2[k];
      state.take_step(k, step, norm2[k] / r_norm2[k]);
    }
    return norm2;
  }
  /// The end of an iteration with a reliable update.
  void update_reliably(const blas::Scalars& alpha, blas::Reals& norm2) {
    blas::axpy(x, p, alpha);
    state.reliable_update(r, norm2);
    if (adjoint != nullptr) {
      adjoint->apply_dagger(z, r);
    } else {
      make_orthogonal(p, r, norm2);
    }
    blas::xpay(p, z, ratios(norm2, r_norm2));
  }
  /// The rest of an iteration of right-hand side k; |r|^2.
  double iterate_alone(std::size_t k, double alpha) {
    of_direction.forget();
    SpinorField<S> x_k = x.right_hand_side(k), p_k = p.right_hand_side(k), r_k = r.right_hand_side(k),
                   z_k = z.right_hand_side(k);
    auto of_r = axpy_change(r_k, w.right_hand_side(k), -alpha, no_function);
    of_r.wait();
    if (adjoint != nullptr) {
      adjoint->apply_dagger(z_k, r_k);
      state.count_flops(flops_of(inner));
    }
    const blas::Reals change(1, FlexibleStep::change(of_r.row(0)));
    blas::cg_update(x_k, p_k, z_k, host_step({alpha}, change, {r_norm2[k]}));
    state.stop_running_ahead();
    return of_r.sum(0, 0);
  }
};

}  // namespace kaon::detail
