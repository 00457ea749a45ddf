// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/shifted.hpp>
#include <kaon/solvers/solver.hpp>

#include <span>
#include <vector>

namespace kaon {

/// Solves (A + sigma_s) x_s = b for all shifts sigma_s >= 0 of a Hermitian positive operator A in one Krylov space: one
/// application of A an iteration (Jegerlehner, arXiv:hep-lat/9612014).
///
/// The smallest shift is the base system, whose residual r gives those of the others, zeta_s r with 0 < zeta_s <= 1. A
/// shift that has converged takes no further part.
template <class T>
class MultiShiftCg {
 public:
  /// Borrows `matrix`, A, or owns it if it is a temporary: see `Ref`. The tolerance is that of every shift; restarts
  /// there are none. Throws `Error` where there is no shift, for a shift that is negative or no number, and for
  /// impossible parameters.
  MultiShiftCg(Ref<LinearOperator<T>> matrix, std::vector<double> shifts, const SolverParameters& parameters);

  /// x[s] = (A + sigma_s)^-1 b, in the order in which the shifts were given. Earlier values of `x` mean nothing. A
  /// right-hand side that is zero has the solutions zero.
  ///
  /// Results in the same order. A shift whose true residual is above the tolerance when its iterated one is not has
  /// `stagnated`: no restart keeps the residuals of several shifts parallel. `seconds` is the time of all shifts, and
  /// what they share counts in the `flops` of the smallest, which alone calls `on_iteration`.
  /// Throws `Error` for a number of fields that is not that of the shifts, for fields that do not fit, and for a
  /// right-hand side that is not finite.
  /// `request` may have `on_iteration` and `keep_history` alone, else it throws `Error`, too.
  std::vector<SolveResult> solve(std::span<SpinorField<T>> x, const SpinorField<T>& b,
                                 const SolveRequest& request = {}) const;

  const std::vector<double>& shifts() const { return shifts_; }

 private:
  std::vector<double> shifts_;       // as they were given
  std::vector<std::size_t> order_;   // order_[i]: the number of the i-th smallest
  std::vector<Shifted<T>> systems_;  // from the smallest shift to the largest
  SolverParameters parameters_;
};

extern template class MultiShiftCg<double>;
extern template class MultiShiftCg<float>;

}  // namespace kaon
