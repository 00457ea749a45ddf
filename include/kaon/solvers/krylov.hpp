// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/solvers/solver.hpp>

#include <concepts>
#include <optional>
#include <utility>

namespace kaon {
namespace detail {
template <class T, class S>
class SolveState;
}

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

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const final;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.tolerance; }

 protected:
  /// Solves by iterations, which `state` records.
  virtual SolveResult run(detail::SolveState<T, S>& state) const = 0;

  Ref<LinearOperator<T>> matrix_;
  Ref<LinearOperator<S>> inner_;
  SolverParameters parameters_;
};

/// BiCGstab for any invertible operator (van der Vorst 1992). A breakdown of the recurrence restarts it from the true
/// residual.
template <class T, class S = T>
class BiCgStab final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;
};

/// Conjugate gradients for a Hermitian positive operator (Hestenes and Stiefel 1952).
template <class T, class S = T>
class Cg final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;
};

/// Conjugate gradients on M^dag M x = M^dag b: minimises |b - M x| (Hestenes and Stiefel 1952, section 10, "CGNR"; in
/// the form that iterates the residual of M itself, Saad, Iterative Methods for Sparse Linear Systems, algorithm 8.4).
/// Throws `Error` for an operator without an adjoint.
template <class T, class S = T>
class Cgnr final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;

  const Adjointable<S>* adjoint_ = &adjointable(*this->inner_);
};

/// Conjugate gradients on M M^dag y = b, x = M^dag y: minimises the error |x - M^-1 b| (Craig 1955, "CGNE"; Saad,
/// algorithm 8.5). Throws `Error` for an operator without an adjoint.
template <class T, class S = T>
class Cgne final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;

  const Adjointable<S>* adjoint_ = &adjointable(*this->inner_);
};

/// Block conjugate gradients for a Hermitian positive operator: the right-hand sides share one Krylov space, and each
/// minimises its error over all of it (D. P. O'Leary, Linear Algebra Appl. 29 (1980) 293; in the form "BCGrQ" of A. A.
/// Dubrulle, ETNA 12 (2001) 216, whose residuals are orthonormalized). Blocks of equal size have 16 right-hand sides at
/// most. Right-hand sides that depend on each other share directions until a true residual separates them. In `double`
/// and `float`.
///
/// An iteration has two sums over processes for each block. A NaN in one right-hand side ends those of its block.
template <class T, class S = T>
class BlockCg final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;
};

/// Block conjugate gradients on M^dag M x = M^dag b: `BlockCg` that minimises |b - M x|. The residual is computed
/// whenever it has fallen by `SolverParameters::reliable_delta`, in one precision, too. Throws `Error` for an operator
/// without an adjoint.
template <class T, class S = T>
class BlockCgnr final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;

  const Adjointable<T>* adjoint_ = &adjointable(*this->matrix_);
};

/// Preconditioned conjugate gradients on M^dag M x = M^dag b, with an approximation K of (M^dag M)^-1 that may change
/// from one application to the next (G. H. Golub and Q. Ye, SIAM J. Sci. Comput. 21 (1999) 1305: beta of Polak and
/// Ribiere). Residuals are those of M, |b - M x|. In `float`, and in `double` with iterations in `float`. Throws
/// `Error` for an operator without an adjoint.
template <class T, class S = T>
class FlexibleCgnr final : public MixedKrylov<T, S> {
 public:
  /// Borrows the operators, or owns those that are temporaries: see `Ref`. `inner` is `matrix` in S. Throws `Error` for
  /// operators that act on other fields and for impossible parameters.
  FlexibleCgnr(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner, Ref<LinearOperator<S>> preconditioner,
               const SolverParameters& parameters);

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;

  Ref<LinearOperator<S>> preconditioner_;  // K
  const Adjointable<S>* adjoint_ = &adjointable(*this->inner_);
};

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

struct MrParameters {
  double omega = 1.0;  ///< relaxation: the fraction of the minimising step, in (0, 2)
  int steps = 4;       ///< of `apply`
  SolverParameters solve{};
};

/// Minimal residuals: x += omega alpha r with the alpha that makes |b - M x| least for omega = 1 (Saad, Iterative
/// Methods for Sparse Linear Systems, algorithm 5.3). It converges where the Hermitian part of M is definite.
///
/// `solve` iterates to a tolerance. `apply` is a smoother: always the same number of steps from zero, with one sum over
/// all processes a step, and no residual at the end; a right-hand side that meets NaN returns its last finite iterate.
template <class T>
class Mr final : public Solver<T>, public Counted {
 public:
  /// Borrows `matrix`, M, or owns it if it is a temporary: see `Ref`. Throws `Error` unless 0 < omega < 2 and there is
  /// a step, and for impossible parameters of `solve`.
  Mr(Ref<LinearOperator<T>> matrix, const MrParameters& parameters);
  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const LinearOperator<T>& solved_operator() const override { return *matrix_; }
  double tolerance() const override { return parameters_.solve.tolerance; }
  /// Flops of the operator in `apply`.
  double flops() const override { return parameters_.steps * flops_of(*matrix_); }

 private:
  Ref<LinearOperator<T>> matrix_;
  MrParameters parameters_;
  mutable detail::KeptFields<T> scratch_;  // r and M r of `apply`
};

}  // namespace kaon
