// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

namespace kaon {

struct InPrecisionParameters {
  double tolerance = 1e-10;  ///< on |b - M x| / |b| in the outer precision; between 0 and 1
  int max_refinements = 20;  ///< inner solves, at least 1
  /// Tolerance of an inner solve on |r - M d| / |r|, below 1; larger if a larger one reaches `tolerance`. 0: the inner
  /// solver's own tolerance.
  double inner_tolerance = 0.0;
  int max_iterations = 0;  ///< of the inner solver in all; 0: no such bound
};

/// Solves M x = b in the precision T with a solver that works in S: iterative refinement.
///
///   r = b - M x in T;  d = inner solve for r, in S;  x = x + d
///
/// until |r| is small enough, or the inner solver no longer helps (status `stagnated`). An x + d whose residual is
/// larger is rejected. The receiver gets the iterations of all inner solves, numbered through, with residuals relative
/// to |b|.
template <class T, class S>
class InPrecision final : public Solver<T> {
 public:
  /// `inner` solves the same operator in S. Borrows both, or owns what is a temporary: see `Ref`. Throws `Error` for
  /// operators that act on other fields, and for impossible parameters.
  InPrecision(Ref<LinearOperator<T>> matrix, Ref<Solver<S>> inner, const InPrecisionParameters& parameters);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.tolerance; }

 private:
  /// Norms at which inner solves for residuals of length one may stop, where these have `norms` and `wanted` is enough;
  /// empty: the inner solver decides.
  std::vector<double> inner_targets(std::span<const double> norms, std::span<const double> wanted) const;

  Ref<LinearOperator<T>> matrix_;
  Ref<Solver<S>> inner_;
  InPrecisionParameters parameters_;
};

extern template class InPrecision<double, float>;
extern template class InPrecision<double, half>;
extern template class InPrecision<float, half>;

}  // namespace kaon
