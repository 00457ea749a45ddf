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
/// A residual norm that any x has: that of right-hand sides which need no further solve. Solvers take parts and
/// multiples of it.
constexpr double left_alone = 1e100;

PropagatorSolverParameters counted_by(PropagatorSolverParameters parameters,
                                      const std::shared_ptr<std::vector<int>>& spent) {
  if (spent) parameters.iterations_spent = spent;
  return parameters;
}

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

/// Takes the counts of earlier solves into those of the last, and their status where that had no target.
void add(SolveResult& last, const SolveResult& earlier, std::span<const double> target) {
  for (std::size_t k = 0; k < earlier.right_hand_sides.size(); ++k) {
    SolveResult::RightHandSide& r = last.right_hand_sides[k];
    const SolveResult::RightHandSide& before = earlier.right_hand_sides[k];
    if (target[k] == left_alone) r.status = before.status;
    r.iterations += before.iterations;
    r.restarts += before.restarts;
    r.fallbacks += before.fallbacks;
  }
  last.reliable_updates += earlier.reliable_updates;
  last.seconds += earlier.seconds;
  last.flops += earlier.flops;
  last.history.insert(last.history.begin(), earlier.history.begin(), earlier.history.end());
}

bool missed(const SolveResult& result, const detail::Targets& targets, std::size_t k) {
  const SolveResult::RightHandSide& r = result.right_hand_sides[k];
  return r.status == SolveStatus::converged && !(r.true_residual * targets.source_norm[k] <= targets.residual_norm[k]);
}

/// Lowers the targets of right-hand sides that have converged in single precision alone, and leaves the others alone.
/// False if there are none.
bool aim_lower(std::vector<double>& target, const SolveResult& result, const detail::Targets& targets) {
  bool any = false;
  for (std::size_t k = 0; k < target.size(); ++k) {
    const bool lower = missed(result, targets, k);
    const double residual = result.right_hand_sides[k].true_residual * targets.source_norm[k];
    target[k] = lower ? 0.9 * target[k] * targets.residual_norm[k] / residual : left_alone;
    any = any || lower;
  }
  return any;
}

}  // namespace

SinglePrecisionSolver::SinglePrecisionSolver(const AnyOperator<double>& dirac,
                                             const PropagatorSolverParameters& parameters)
    : dirac_(dirac),
      tolerance_(parameters.tolerance),
      spent_(parameters.iterations_spent ? nullptr : std::make_shared<std::vector<int>>()),
      solver_(dirac.in_single(), counted_by(parameters, spent_)) {}

SinglePrecisionSolver SinglePrecisionSolver::updated(const AnyOperator<double>& dirac) const {
  PropagatorSolverParameters parameters = solver_.parameters_of_update();
  if (spent_) parameters.iterations_spent = nullptr;
  return SinglePrecisionSolver(dirac, parameters);
}

SolveResult SinglePrecisionSolver::solve(SpinorField<double>& x, const SpinorField<double>& b,
                                         std::span<const double> residual_norms) const {
  require_domain(x, b);
  if (spent_) spent_->clear();
  const detail::Targets targets = detail::make_targets(x, b, tolerance_, residual_norms);
  if (auto result = detail::solve_scaled<double, float>(*this, x, b, targets, residual_norms))
    return std::move(*result);
  SpinorField<float> x_float(x.lattice(), x.parameters()), b_float(b.lattice(), b.parameters());
  blas::copy(x_float, x);
  blas::copy(b_float, b);
  std::vector<double> target = targets.residual_norm;
  SolveResult result;
  for (int correction = 0;; ++correction) {
    SolveResult solved = solver_.solve(x_float, b_float, target);
    add(solved, result, target);
    result = std::move(solved);
    blas::copy(x, x_float);
    recompute_true_residuals(result, *dirac_, x, b, targets);
    if (!aim_lower(target, result, targets) || correction == max_corrections) break;
  }
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (missed(result, targets, k)) result.right_hand_sides[k].status = SolveStatus::stagnated;
  }
  return result;
}

}  // namespace kaon
