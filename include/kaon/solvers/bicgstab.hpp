// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <utility>

namespace kaon {

/// BiCGstab for any invertible operator (van der Vorst 1992). A breakdown of the recurrence restarts it from the true
/// residual.
///
/// In mixed precision (S lower than T) the iterations run in S, with reliable updates in T: see
/// `SolverParameters::delta`. The solution has the accuracy of T.
template <class T, class S = T>
class BiCgStab final : public Solver<T> {
 public:
  /// Borrows `matrix`, or owns it if it is a temporary: see `Ref`.
  BiCgStab(Ref<LinearOperator<T>> matrix, const SolverParameters& parameters) requires std::same_as<T, S>
      : BiCgStab(matrix, matrix, parameters) {}
  /// Mixed precision: `inner` is the same operator in S.
  BiCgStab(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner, const SolverParameters& parameters)
      : matrix_(std::move(matrix)), inner_(std::move(inner)), parameters_(parameters) {
    detail::require_same_domain(*matrix_, *inner_);
  }

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }

 private:
  Ref<LinearOperator<T>> matrix_;
  Ref<LinearOperator<S>> inner_;
  SolverParameters parameters_;
};

extern template class BiCgStab<double>;
extern template class BiCgStab<float>;
extern template class BiCgStab<half>;
extern template class BiCgStab<double, float>;
extern template class BiCgStab<double, half>;
extern template class BiCgStab<float, half>;

}  // namespace kaon
