// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/solver.hpp>

#include <optional>
#include <vector>

namespace kaon {

struct GcrParameters {
  int krylov_space = 16;     ///< directions that are stored before a restart
  int steps = 0;             ///< of `apply`, without looking at residuals; 0: it solves to the tolerance
  SolverParameters solve{};  ///< its restarts are beyond those of a full space
};

/// Restarted, flexible generalised conjugate residuals for any invertible operator: minimises |b - M x| over the
/// stored directions (Eisenstat, Elman and Schultz 1983; with a preconditioner K that may change from one application
/// to the next, van der Vorst and Vuik 1994). The solution is put together only at a restart (Luescher,
/// arXiv:hep-lat/0310048; Babich et al., arXiv:1109.2935, algorithm 1), and the residual is then recomputed. All
/// right-hand sides restart together.
///
/// With `GcrParameters::steps`, `apply` is a preconditioner of a fixed length: so many steps from zero, with all
/// directions. The host does not wait for them if kernels can sum. A right-hand side that meets NaN returns its last
/// finite iterate.
template <class T>
class Gcr final : public Solver<T>, public Counted {
 public:
  /// Borrows `matrix`, M, or owns it if it is a temporary: see `Ref`. Throws `Error` for a Krylov space without
  /// directions, for a negative number of steps, and for impossible parameters.
  Gcr(Ref<LinearOperator<T>> matrix, const GcrParameters& parameters);
  /// With K = `preconditioner`, an approximation of M^-1 (a `Solver`, say).
  Gcr(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<T>> preconditioner, const GcrParameters& parameters);
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.solve.tolerance; }
  /// Flops of the operator and the preconditioner in `apply` with `GcrParameters::steps`, else 0.
  double flops() const override {
    return parameters_.steps * (flops_of(*matrix_) + (preconditioner_ ? flops_of(**preconditioner_) : 0.0));
  }

 private:
  /// p = K r
  void precondition(SpinorField<T>& p, const SpinorField<T>& r) const;
  /// At least `count` directions of as many right-hand sides in p_ and z_.
  void provide_directions(std::size_t count, int right_hand_sides) const;

  Ref<LinearOperator<T>> matrix_;
  std::optional<Ref<LinearOperator<T>>> preconditioner_;
  GcrParameters parameters_;
  mutable detail::KeptFields<T> p_, z_;
  mutable detail::KeptFields<T> residual_;  // of `apply`
};

extern template class Gcr<double>;
extern template class Gcr<float>;
extern template class Gcr<half>;

}  // namespace kaon
