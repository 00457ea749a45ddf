// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <concepts>

namespace kaon {

/// What Krylov methods in one or two precisions have in common: the operator M that they solve with, in T, and the same
/// operator in S, in which they iterate.
///
/// In mixed precision (S lower than T) reliable updates in T correct the iterations: see
/// `SolverParameters::reliable_delta`. The solution has the accuracy of T.
template <class T, class S>
class MixedKrylov : public Solver<T> {
 public:
  /// Refers to `matrix`, which must outlive it.
  MixedKrylov(const LinearOperator<T>& matrix, const SolverParameters& parameters) requires std::same_as<T, S>
      : MixedKrylov(matrix, matrix, parameters) {}
  /// Mixed precision. Refers to `matrix` and to `inner`, the same operator in S; both must outlive it.
  MixedKrylov(const LinearOperator<T>& matrix, const LinearOperator<S>& inner, const SolverParameters& parameters)
      : matrix_(matrix), inner_(inner), parameters_(parameters) {
    detail::require_same_domain(matrix, inner);
  }

  const LinearOperator<T>& solved_operator() const override { return matrix_; }

 protected:
  const LinearOperator<T>& matrix_;
  const LinearOperator<S>& inner_;
  SolverParameters parameters_;
};

}  // namespace kaon
