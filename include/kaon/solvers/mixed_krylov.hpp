// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <utility>

namespace kaon {

namespace detail {
template <class T, class S>
class SolveState;
}

/// Base of Krylov methods in one or two precisions: the operator M that they solve with, in T, and the same
/// operator in S, in which they iterate.
///
/// In mixed precision (S lower than T) reliable updates in T correct the iterations: see
/// `SolverParameters::reliable_delta`. The solution has the accuracy of T.
template <class T, class S>
class MixedKrylov : public Solver<T> {
 public:
  /// Borrows `matrix`, or owns it if it is a temporary: see `Ref`. Throws `Error` for impossible parameters.
  MixedKrylov(Ref<LinearOperator<T>> matrix, const SolverParameters& parameters) requires std::same_as<T, S>
      : MixedKrylov(matrix, matrix, parameters) {}
  /// Mixed precision: `inner` is the same operator in S. Throws `Error` for operators that do not act on the same
  /// fields, too.
  MixedKrylov(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner, const SolverParameters& parameters)
      : matrix_(std::move(matrix)), inner_(std::move(inner)), parameters_(parameters) {
    detail::require_same_domain(*matrix_, *inner_);
    detail::require_bounds(parameters_);
    if constexpr (!std::same_as<T, S>) detail::require_reliable_delta(parameters_.reliable_delta);
  }

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const final;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.tolerance; }

 protected:
  /// Solves by iterations, which `state` records.
  virtual SolveResult run(detail::SolveState<T, S>& state) const = 0;

  Ref<LinearOperator<T>> matrix_;
  Ref<LinearOperator<S>> inner_;
  SolverParameters parameters_;
};

extern template class MixedKrylov<double, double>;
extern template class MixedKrylov<float, float>;
extern template class MixedKrylov<half, half>;
extern template class MixedKrylov<double, float>;
extern template class MixedKrylov<double, half>;
extern template class MixedKrylov<float, half>;

}  // namespace kaon
