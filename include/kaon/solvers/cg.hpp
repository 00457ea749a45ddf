// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <utility>

namespace kaon {

/// Conjugate gradients for a Hermitian positive operator (Hestenes and Stiefel 1952).
///
/// In mixed precision (S lower than T) the iterations run in S, with reliable updates in T: see
/// `SolverParameters::delta`. The solution has the accuracy of T.
template <class T, class S = T>
class Cg final : public Solver<T> {
 public:
  /// Borrows `matrix`, A, or owns it if it is a temporary: see `Ref`.
  Cg(Ref<LinearOperator<T>> matrix, const SolverParameters& parameters) requires std::same_as<T, S>
      : Cg(matrix, matrix, parameters) {}
  /// Mixed precision: `inner` is the same operator in S.
  Cg(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner, const SolverParameters& parameters)
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

/// Conjugate gradients on M^dag M x = M^dag b: minimises |b - M x| (Hestenes and Stiefel 1952, section 10, "CGNR"; in
/// the form that iterates the residual of M itself, Saad, Iterative Methods for Sparse Linear Systems, algorithm 8.4).
/// Mixed precision as in `Cg`.
template <class T, class S = T>
class Cgnr final : public Solver<T> {
 public:
  /// Borrows `matrix`, M, or owns it if it is a temporary: see `Ref`.
  Cgnr(Ref<LinearOperator<T>> matrix, const SolverParameters& parameters) requires std::same_as<T, S>
      : Cgnr(matrix, matrix, parameters) {}
  /// Mixed precision: `inner` is the same operator in S.
  Cgnr(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner, const SolverParameters& parameters)
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

/// Conjugate gradients on M M^dag y = b, x = M^dag y: minimises the error |x - M^-1 b| (Craig 1955, "CGNE"; Saad,
/// algorithm 8.5). Mixed precision as in `Cg`.
template <class T, class S = T>
class Cgne final : public Solver<T> {
 public:
  /// Borrows `matrix`, M, or owns it if it is a temporary: see `Ref`.
  Cgne(Ref<LinearOperator<T>> matrix, const SolverParameters& parameters) requires std::same_as<T, S>
      : Cgne(matrix, matrix, parameters) {}
  /// Mixed precision: `inner` is the same operator in S.
  Cgne(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner, const SolverParameters& parameters)
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

extern template class Cg<double>;
extern template class Cg<float>;
extern template class Cg<half>;
extern template class Cg<double, float>;
extern template class Cg<double, half>;
extern template class Cg<float, half>;
extern template class Cgnr<double>;
extern template class Cgnr<float>;
extern template class Cgnr<half>;
extern template class Cgnr<double, float>;
extern template class Cgnr<double, half>;
extern template class Cgnr<float, half>;
extern template class Cgne<double>;
extern template class Cgne<float>;
extern template class Cgne<half>;
extern template class Cgne<double, float>;
extern template class Cgne<double, half>;
extern template class Cgne<float, half>;

}  // namespace kaon
