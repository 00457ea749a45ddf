// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/solver.hpp>

namespace kaon {

/// Solves M x = b on all sites by a solve of its Schur complement on one parity.
///
/// The tolerance is on |b - M x| / |b| of the whole system: the inner solve is told the residual of the Schur system
/// that this takes, and goes on from where it was if that was not enough.
template <class T>
class EvenOddSolver final : public Solver<T> {
 public:
  /// Borrows `schur`, and borrows `inner` or owns it if it is a temporary: see `Ref`. Throws `Error` unless the
  /// operator of `inner` is `schur` itself.
  EvenOddSolver(Ref<Schur<T>> schur, Ref<Solver<T>> inner, double tolerance);
  /// The same for the Schur complement that `inner` solves, as in `EvenOddSolver<T>(BiCgStab<T>(Schur<T>(...), ...),
  /// tolerance)`. Throws `Error` if the operator of `inner` is none.
  EvenOddSolver(Ref<Solver<T>> inner, double tolerance);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return schur_->full(); }

 private:
  Ref<Schur<T>> schur_;
  Ref<Solver<T>> inner_;
  double tolerance_;
};

extern template class EvenOddSolver<double>;
extern template class EvenOddSolver<float>;

}  // namespace kaon
