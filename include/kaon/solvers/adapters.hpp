// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <optional>
#include <string>

namespace kaon {

/// Solves M x = b on all sites by a solve of a system on one parity: its Schur complement, or the staggered normal
/// operator.
///
/// The inner solver's tolerance applies to |b - M x| / |b| of the whole system: the target of the inner solve is the
/// residual on one parity that this requires, and the inner solve continues with a lower target if that was not enough.
/// A solve that does not converge returns the best x by |b - M x|. It is zero if the residual on one parity has
/// become small, but that of the whole system is above |b|, which is possible for site terms near zero.
template <class T>
class EvenOddSolver final : public Solver<T> {
 public:
  /// Borrows `system`, and borrows `inner` or owns it if it is a temporary: see `Ref`. Throws `Error` unless the
  /// operator of `inner` is `system` itself.
  EvenOddSolver(Ref<EvenOddSystem<T>> system, Ref<Solver<T>> inner);
  /// For the system that `inner` solves, for example `EvenOddSolver<T>(BiCgStab<T>(Schur<T>(...), ...))`. Throws
  /// `Error` if the operator of `inner` is not an even-odd system.
  explicit EvenOddSolver(Ref<Solver<T>> inner);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return system_->full(); }
  /// The tolerance of the inner solver, on |b - M x| / |b| of the whole system.
  double tolerance() const override { return inner_->tolerance(); }

 private:
  Ref<EvenOddSystem<T>> system_;
  Ref<Solver<T>> inner_;
};

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

struct FallbackParameters {
  double share = 0.5;  ///< of the iterations that a request allows, for the first solver; between 0 and 1
  std::string how{};   ///< what the second solver does, for the notice: "in single precision"
  /// Called on all processes, once for each solve that falls back, with a sentence about it. By default that is a
  /// notice to the message handler of process 0 (`set_message_handler`).
  std::function<void(const std::string& notice)> on_fallback{};
};

namespace detail {

/// Passes a notice to `on_fallback`, or without it to the message handler of process 0.
void tell_fallback(const FallbackParameters& parameters, const Lattice& lattice, const std::string& notice);

/// The part of `request` left to the next solver after `done`: the right-hand sides that have not converged and the
/// iterations that remain; no value if all have converged or the solve was stopped. Reports the fallback and counts
/// it.
std::optional<SolveRequest> taken_over(SolveResult& done, const SolveRequest& request,
                                       const FallbackParameters& parameters, const Lattice& lattice);

/// Continues with `solver` from x, the solution of `done`. If a right-hand side does not converge, its x is the better
/// of both: a solver does not compute the residual of its initial x.
template <class T>
SolveResult go_on(const SolveResult& done, const Solver<T>& solver, SpinorField<T>& x, const SpinorField<T>& b,
                  const SolveRequest& request);

}  // namespace detail

/// Solves with a fast solver of low inner precision and, for right-hand sides that it does not solve, with a slower and
/// more robust one.
///
/// The second solver continues from the best x of each right-hand side that has not converged, also of those out of
/// iterations. If it fails, too, x is the better of both. `SolveResult::RightHandSide::fallbacks` counts.
template <class T>
class Fallback final : public Solver<T> {
 public:
  /// `next` is called once, when its solver is needed: nothing is built for nothing. Both solvers must solve one
  /// operator; they are borrowed, or owned if they are temporaries: see `Ref`, and should have one tolerance. Throws
  /// `Error` for an impossible share.
  Fallback(Ref<Solver<T>> first, std::function<Ref<Solver<T>>()> next, const FallbackParameters& parameters);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return first_->solved_operator(); }
  double tolerance() const override { return first_->tolerance(); }

 private:
  Ref<Solver<T>> first_;
  std::function<Ref<Solver<T>>()> make_next_;
  FallbackParameters parameters_;
  mutable std::optional<Ref<Solver<T>>> next_;
};

struct SchwarzParameters {
  /// Extents of a block; zeros: one block for each process, its part of the lattice. Even, and dividing that part.
  Coordinates block{};
  int steps = 10;      ///< of minimal residuals on the blocks
  double omega = 1.0;  ///< their relaxation, in (0, 2)
};

/// Additive Schwarz: an approximate inverse of a Schur complement that needs no communication at all,
///
///   out = sum_b R_b^T (S_b)^-1 R_b in,
///
/// R_b restricting to a block and S_b being the Schur complement of the operator with Dirichlet boundaries around it,
/// solved by a few steps of minimal residuals whose sums run over the process alone. A `Gcr` in 16 bits with this
/// preconditioner, within `InPrecision`, is the GCR-DD of Babich et al., arXiv:1109.2935, algorithm 1: see
/// docs/parallel.md.
template <class T>
class Schwarz final : public LinearOperator<T>, public Counted {
 public:
  /// Stores copies of the links; borrows `schur`, or owns it if it is a temporary: see `Ref`. Throws `Error` for
  /// operators that are not `Blockable`, for blocks that do not fit, and for what `Mr` refuses.
  Schwarz(Ref<Schur<T>> schur, const SchwarzParameters& parameters);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const Lattice& lattice() const override { return schur_->lattice(); }
  SpinorParameters domain() const override { return schur_->domain(); }
  double flops() const override;
  double bytes() const override;

 private:
  Ref<Schur<T>> schur_;
  SchwarzParameters parameters_;
  Mr<T> smoother_;  // of the Schur complement on blocks
};

}  // namespace kaon
