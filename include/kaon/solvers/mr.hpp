// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

namespace kaon {

struct MrParameters {
  double omega = 1.0;  ///< relaxation: the fraction of the minimising step, in (0, 2)
  int steps = 4;       ///< of `apply`
  SolverParameters solve{};
};

/// Minimal residuals: x += omega alpha r with the alpha that makes |b - M x| least for omega = 1 (Saad, Iterative
/// Methods for Sparse Linear Systems, algorithm 5.3). It converges where the Hermitian part of M is definite.
///
/// `solve` iterates to a tolerance. `apply` is a smoother: always the same number of steps from zero, with one sum over
/// all processes a step, and no residual at the end; a right-hand side that meets NaN returns its last finite iterate.
template <class T>
class Mr final : public Solver<T>, public Counted {
 public:
  /// Borrows `matrix`, M, or owns it if it is a temporary: see `Ref`. Throws `Error` unless 0 < omega < 2 and there is
  /// a step, and for impossible parameters of `solve`.
  Mr(Ref<LinearOperator<T>> matrix, const MrParameters& parameters);
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.solve.tolerance; }
  /// Flops of the operator in `apply`.
  double flops() const override { return parameters_.steps * flops_of(*matrix_); }

 private:
  Ref<LinearOperator<T>> matrix_;
  MrParameters parameters_;
  mutable detail::KeptFields<T> scratch_;  // r and M r of `apply`
};

extern template class Mr<double>;
extern template class Mr<float>;
extern template class Mr<half>;

}  // namespace kaon
