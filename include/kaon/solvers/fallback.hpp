// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <functional>

namespace kaon {

/// Solves with one solver and, where that gives up, goes on with the next: a fast one of low inner precision and a
/// slower one that can do more.
///
/// Right-hand sides that have not converged are taken over, from the best x that was reached. Those out of iterations
/// are too: solvers that share `SolverParameters::iterations_spent` bound the sum, and the first should have a lower
/// `max_iterations` than the next. `SolveResult::RightHandSide::fallbacks` counts. Falling back is told on standard
/// error by process 0, once for each solve.
template <class T>
class Fallback final : public Solver<T> {
 public:
  /// Refers to `first` and to what `next`, called once when it is needed, returns (nothing is built for nothing); all
  /// must solve one operator and outlive this object. `tolerance` is that of both, on |b - M x| / |b|; `how` says what
  /// `next` does, for the notice ("in single precision").
  Fallback(const Solver<T>& first, std::function<const Solver<T>&()> next, double tolerance, std::string how);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return first_.solved_operator(); }

 private:
  const Solver<T>& first_;
  std::function<const Solver<T>&()> make_next_;
  mutable const Solver<T>* next_ = nullptr;
  double tolerance_;
  std::string how_;
};

extern template class Fallback<double>;
extern template class Fallback<float>;

}  // namespace kaon
