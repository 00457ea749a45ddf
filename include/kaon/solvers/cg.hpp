// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

namespace kaon {

/// Conjugate gradients for a Hermitian positive operator (Hestenes and Stiefel 1952).
template <class T>
class Cg final : public Solver<T> {
 public:
  /// Refers to `matrix`, which must outlive it.
  Cg(const LinearOperator<T>& matrix, const SolverParameters& parameters) : matrix_(matrix), parameters_(parameters) {}
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return matrix_; }

 private:
  const LinearOperator<T>& matrix_;
  SolverParameters parameters_;
};

/// Conjugate gradients on M^dag M x = M^dag b: minimises |b - M x| (Hestenes and Stiefel 1952, section 10, "CGNR"; in
/// the form that iterates the residual of M itself, Saad, Iterative Methods for Sparse Linear Systems, algorithm 8.4).
template <class T>
class Cgnr final : public Solver<T> {
 public:
  /// Refers to `matrix`, M, which must outlive it.
  Cgnr(const LinearOperator<T>& matrix, const SolverParameters& parameters)
      : matrix_(matrix), parameters_(parameters) {}
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return matrix_; }

 private:
  const LinearOperator<T>& matrix_;
  SolverParameters parameters_;
};

/// Conjugate gradients on M M^dag y = b, x = M^dag y: minimises the error |x - M^-1 b| (Craig 1955, "CGNE"; Saad,
/// algorithm 8.5).
template <class T>
class Cgne final : public Solver<T> {
 public:
  /// Refers to `matrix`, M, which must outlive it.
  Cgne(const LinearOperator<T>& matrix, const SolverParameters& parameters)
      : matrix_(matrix), parameters_(parameters) {}
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return matrix_; }

 private:
  const LinearOperator<T>& matrix_;
  SolverParameters parameters_;
};

extern template class Cg<double>;
extern template class Cg<float>;
extern template class Cgnr<double>;
extern template class Cgnr<float>;
extern template class Cgne<double>;
extern template class Cgne<float>;

}  // namespace kaon
