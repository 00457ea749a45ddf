// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/solvers/solver.hpp>

namespace kaon {

/// Solves M x = b on all sites by a solve of a system on one parity: its Schur complement, or the staggered normal
/// operator.
///
/// The inner solver's tolerance applies to |b - M x| / |b| of the whole system: the target of the inner solve is the
/// residual on one parity that this requires, and the inner solve continues with a lower target if that was not enough.
/// A solve that does not converge returns the best x by |b - M x|. It is zero if the residual on one parity has
/// become small, but that of the whole system is above |b|, which is possible for site terms near zero.
template <class T>
class EvenOddSolver final : public Solver<T> {
 public:
  /// Borrows `system`, and borrows `inner` or owns it if it is a temporary: see `Ref`. Throws `Error` unless the
  /// operator of `inner` is `system` itself.
  EvenOddSolver(Ref<EvenOddSystem<T>> system, Ref<Solver<T>> inner);
  /// For the system that `inner` solves, for example `EvenOddSolver<T>(BiCgStab<T>(Schur<T>(...), ...))`. Throws
  /// `Error` if the operator of `inner` is not an even-odd system.
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
