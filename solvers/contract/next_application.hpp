// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/pending_reductions.hpp"
#include "solvers/contract/solve_state.hpp"

#include <kaon/core/reductions.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <optional>
#include <utility>

namespace kaon::detail {

/// w = M p, the first application of an iteration. An iteration runs ahead if it is enqueued as a whole before the host
/// waits for its reductions: kernels then compute its coefficients, and w of the next iteration is enqueued as well, so
/// that a device has work while the host waits. If kernels declined a right-hand side, its p is still the old one then,
/// and w is not changed for it; if the host changes p, `forget` discards w.
template <class S>
class NextApplication {
 public:
  /// If `in_kernels`, iterations run ahead only if kernels reduce w.
  NextApplication(const LinearOperator<S>& matrix, SpinorField<S>& w, const SpinorField<S>& p,
                  const blas::Reductions<S>& reductions, bool in_kernels = false)
      : matrix_(matrix), w_(w), p_(p), reductions_(reductions), in_kernels_(in_kernels) {}

  /// Starts an iteration: returns the reductions of w = M p.
  template <class T>
  blas::PendingReductions take(const SolveState<T, S>& state) {
    blas::PendingReductions of_w = begun_ ? std::move(*begun_) : apply();
    begun_.reset();
    ahead_ = state.can_run_ahead() && (!in_kernels_ || of_w.in_kernels());
    return of_w;
  }
  bool runs_ahead() const { return ahead_; }
  /// Coefficients from the reductions `of`, see `PendingReductions::scalars`.
  template <class FunctionOf>
  blas::Scalars scalars(blas::PendingReductions& of, const FunctionOf& function_of,
                        const blas::Scalars& earlier = {}) const {
    return of.scalars(function_of, ahead_, earlier);
  }
  /// Ends an iteration by `update()`, or by `update_reliably()` if a reliable update is due. `wait()` computes `norm2`,
  /// |r|^2, on the host, and `finish()` updates the right-hand sides that kernels declined.
  template <class T, class Wait, class Update, class UpdateReliably, class Finish>
  void end(SolveState<T, S>& state, const blas::Reals& norm2, const Wait& wait, const Update& update,
           const UpdateReliably& update_reliably, const Finish& finish) {
    if (ahead_) {
      update();
      begin(state);
      wait();
      finish();
      state.defer_update(norm2);
    } else {
      wait();
      if (state.update_due(norm2)) return update_reliably();
      update();
      finish();
    }
  }
  /// Enqueues w of the next iteration, if another one is likely.
  template <class T>
  void begin(const SolveState<T, S>& state) {
    if (state.expects_another()) begun_ = apply();
  }
  void forget() { begun_.reset(); }

 private:
  blas::PendingReductions apply() const { return matrix_.apply_and_reduce(w_, p_, reductions_); }

  const LinearOperator<S>& matrix_;
  SpinorField<S>& w_;
  const SpinorField<S>& p_;
  blas::Reductions<S> reductions_;
  bool in_kernels_;
  bool ahead_ = false;
  std::optional<blas::PendingReductions> begun_;
};

}  // namespace kaon::detail
