// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/solve_state.hpp"

#include <kaon/core/reductions.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <optional>
#include <utility>

namespace kaon::detail {

/// w = M p, with which an iteration begins. It may be enqueued before the host takes in the iteration before, so that a
/// device has work meanwhile. Right-hand sides that kernels declined have their old p then, and w stays as it is for
/// them; where the host changes p, `forget` says that w is to be made again.
template <class S>
class NextApplication {
 public:
  NextApplication(const LinearOperator<S>& matrix, SpinorField<S>& w, const SpinorField<S>& p,
                  const blas::Reductions<S>& reductions)
      : matrix_(matrix), w_(w), p_(p), reductions_(reductions) {}

  /// Enqueues it, if there is likely to be another iteration.
  template <class T>
  void begin(const SolveState<T, S>& state) {
    if (state.expects_another()) begun_ = apply();
  }
  void forget() { begun_.reset(); }
  /// The reductions of w = M p.
  blas::PendingReductions take() {
    if (!begun_) return apply();
    blas::PendingReductions of_w = std::move(*begun_);
    begun_.reset();
    return of_w;
  }

 private:
  blas::PendingReductions apply() const { return matrix_.apply_and_reduce(w_, p_, reductions_); }

  const LinearOperator<S>& matrix_;
  SpinorField<S>& w_;
  const SpinorField<S>& p_;
  blas::Reductions<S> reductions_;
  std::optional<blas::PendingReductions> begun_;
};

}  // namespace kaon::detail
