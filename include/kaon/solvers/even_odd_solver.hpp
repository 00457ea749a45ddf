// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/solvers/solver.hpp>

namespace kaon {

/// Solves M x = b on all sites by a solve of a system on one parity: its Schur complement, or the staggered normal
/// operator.
///
/// The inner solver's tolerance is on |b - M x| / |b| of the whole system here: the inner solve gets the residual of
/// the system on one parity that this takes as its target, and goes on from where it was if that was not enough. The x
/// of a solve that does not converge is the best by |b - M x|, too: zero, where the residual of the system on one
/// parity has become small, but that of the whole one is above |b|, as it can be for site terms near zero.
template <class T>
class EvenOddSolver final : public Solver<T> {
 public:
  /// Borrows `system`, and borrows `inner` or owns it if it is a temporary: see `Ref`. Throws `Error` unless the
  /// operator of `inner` is `system` itself.
  EvenOddSolver(Ref<EvenOddSystem<T>> system, Ref<Solver<T>> inner);
  /// The same for the system that `inner` solves, as in `EvenOddSolver<T>(BiCgStab<T>(Schur<T>(...), ...))`. Throws
  /// `Error` if the operator of `inner` is none.
  explicit EvenOddSolver(Ref<Solver<T>> inner);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return system_->full(); }
  /// The tolerance of the inner solver, on |b - M x| / |b| of the whole system.
  double tolerance() const override { return inner_->tolerance(); }

 private:
  Ref<EvenOddSystem<T>> system_;
  Ref<Solver<T>> inner_;
};

extern template class EvenOddSolver<double>;
extern template class EvenOddSolver<float>;

}  // namespace kaon
