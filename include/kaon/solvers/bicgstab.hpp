// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

namespace kaon {

/// BiCGstab for any invertible operator (van der Vorst 1992). A breakdown of the recurrence restarts it from the true
/// residual.
template <class T>
class BiCgStab final : public Solver<T> {
 public:
  /// Refers to `matrix`, which must outlive it.
  BiCgStab(const LinearOperator<T>& matrix, const SolverParameters& parameters)
      : matrix_(matrix), parameters_(parameters) {}
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, std::span<const double> residual_norms) const override;
  const LinearOperator<T>& solved_operator() const override { return matrix_; }

 private:
  const LinearOperator<T>& matrix_;
  SolverParameters parameters_;
};

extern template class BiCgStab<double>;
extern template class BiCgStab<float>;

}  // namespace kaon
