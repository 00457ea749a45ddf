// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"
#include "solvers/source_scale.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/propagators/single_precision_solver.hpp>

#include <cmath>
#include <utility>

namespace kaon {
namespace {

/// Solves that may follow the first, for residuals that are too large in double.
constexpr int max_corrections = 3;
/// Replaces the true residuals of a solve by those of `dirac`.
void recompute_true_residuals(SolveResult& result, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                              const SpinorField<double>& b, const detail::Targets& targets) {
  SpinorField<double> residual = dirac.make_field(b.right_hand_sides());
  dirac.apply(residual, x);
  const blas::Reals residuals = blas::xmy_norm2(residual, b);
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    result.right_hand_sides[k].true_residual = std::sqrt(residuals[k]) / targets.source_norm[k];
  }
}

bool missed(const SolveResult& result, const detail::Targets& targets, std::size_t k) {
  const SolveResult::RightHandSide& r = result.right_hand_sides[k];
  return targets.active[k] && r.status == SolveStatus::converged &&
         !(r.true_residual * targets.source_norm[k] <= targets.residual_norm[k]);
}

/// Lowers the targets of right-hand sides that have converged in single precision alone, which alone stay active. False
/// if there are none.
bool aim_lower(SolveRequest& request, const SolveResult& result, const detail::Targets& targets) {
  bool any = false;
  for (std::size_t k = 0; k < request.active.size(); ++k) {
    request.active[k] = missed(result, targets, k);
    if (!request.active[k]) continue;
    const double residual = result.right_hand_sides[k].true_residual * targets.source_norm[k];
    request.residual_norms[k] *= 0.9 * targets.residual_norm[k] / residual;
    any = true;
  }
  return any;
}

}  // namespace

SinglePrecisionSolver::SinglePrecisionSolver(const AnyOperator<double>& dirac,
                                             const PropagatorSolverParameters& parameters)
    : dirac_(dirac),
      tolerance_(parameters.tolerance),
      max_iterations_(parameters.max_iterations),
      solver_(dirac.in_single(), parameters) {}

SinglePrecisionSolver SinglePrecisionSolver::updated(const AnyOperator<double>& dirac) const {
  return SinglePrecisionSolver(dirac, solver_.parameters_of_update());
}

SolveResult SinglePrecisionSolver::solve(SpinorField<double>& x, const SpinorField<double>& b,
                                         const SolveRequest& request) const {
  require_domain(x, b);
  const detail::Targets targets = detail::make_targets(x, b, tolerance_, request);
  if (auto result = detail::solve_scaled<double, float>(*this, x, b, targets, request)) return std::move(*result);
  SpinorField<float> x_float(x.lattice(), x.parameters()), b_float(b.lattice(), b.parameters());
  blas::copy(x_float, x);
  blas::copy(b_float, b);
  const SolveRequest whole = request.bounded(targets.active.size(), max_iterations_);
  SolveRequest of_single = whole;
  of_single.residual_norms = targets.residual_norm;
  of_single.active = targets.active;
  SolveResult result;
  for (int correction = 0;; ++correction) {
    result.append(solver_.solve(x_float, b_float, of_single), of_single);
    for (std::size_t k = 0; k < targets.active.size(); ++k) {
      if (!targets.active[k]) continue;
      SpinorField<double> x_k = x.right_hand_side(static_cast<int>(k));
      blas::copy(x_k, x_float.right_hand_side(static_cast<int>(k)));
    }
    recompute_true_residuals(result, *dirac_, x, b, targets);
    of_single.iterations = whole.after(result).iterations;
    if (result.stopped || !aim_lower(of_single, result, targets) || correction == max_corrections) break;
  }
  const SolveStatus end = result.stopped ? SolveStatus::stopped : SolveStatus::stagnated;
  for (std::size_t k = 0; k < targets.active.size(); ++k) {
    if (missed(result, targets, k)) result.right_hand_sides[k].status = end;
  }
  return result;
}

}  // namespace kaon
