// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <utility>

namespace kaon {

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

  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.tolerance; }

 protected:
  Ref<LinearOperator<T>> matrix_;
  Ref<LinearOperator<S>> inner_;
  SolverParameters parameters_;
};

}  // namespace kaon
