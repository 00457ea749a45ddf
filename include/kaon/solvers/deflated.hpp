// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/solver.hpp>

#include <memory>
#include <span>
#include <vector>

namespace kaon {

namespace detail {
template <class T>
class LowModes;
}

struct DeflatedParameters {
  /// The residual falls by this factor, between 0 and 1, between two corrections. Rounding of low precisions brings
  /// low modes back, so one correction is not enough there.
  double stage = 1e-3;
};

/// Solves A x = b, A Hermitian and positive, with eigenvectors v_i of A: a correction of the low modes,
///
///   x <- x + sum_i v_i <v_i, b - A x> / lambda_i,
///
/// before the solver's iterations and again whenever these have reduced the residual by `stage`. Conjugate
/// gradients then meet the condition number of the other eigenvalues.
///
/// The first lambda_i = <v_i, A v_i> are computed here: eigenvectors of a staggered normal operator are those of all
/// masses. Source: A. Stathopoulos and K. Orginos, SIAM J. Sci. Comput. 32 (2010) 439 (arXiv:0707.0131), section 3.
template <class T>
class Deflated final : public Solver<T> {
 public:
  /// Borrows `solver`, or owns what is a temporary: see `Ref`. Throws `Error` where a vector is no eigenvector of its
  /// operator, |A v - lambda v| > lambda / 10, where a lambda is not positive, and for impossible parameters.
  Deflated(Ref<Solver<T>> solver, std::shared_ptr<const Eigenvectors<T>> eigenvectors,
           const DeflatedParameters& parameters = {});
  /// For a solver of A + `shift`, with eigenvectors that are known to be those of A.
  Deflated(Ref<Solver<T>> solver, std::shared_ptr<const detail::LowModes<T>> modes, double shift,
           const DeflatedParameters& parameters = {});

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return solver_->solved_operator(); }
  double tolerance() const override { return solver_->tolerance(); }

 private:
  Ref<Solver<T>> solver_;
  std::shared_ptr<const detail::LowModes<T>> modes_;
  double shift_;
  DeflatedParameters parameters_;
};

extern template class Deflated<double>;
extern template class Deflated<float>;

}  // namespace kaon
