// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/quarks/solve_plan.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace kaon::detail {

/// A multigrid that a solver has built, in any precision.
struct BuiltMultigrid {
  std::function<MultigridReport()> report;
  std::function<SpinorField<float>()> near_null_vectors;
};

/// Runs plans: makes the solver of each rung when it is first needed.
template <class T>
struct PlanSolver {
  Quark<T> quark;
  std::shared_ptr<const SolvePlan> plan;
  std::function<void(const std::string& notice)> on_fallback;
  /// Receives the multigrid once it is built.
  std::function<void(BuiltMultigrid)> keep;

  /// The solver of the whole plan.
  Ref<Solver<T>> solver() const;
  /// The solver of the whole system by the rungs from number `first` on.
  Ref<Solver<T>> solver_from(std::size_t first) const;

 private:
  Ref<Solver<T>> automatic() const;
  Ref<Solver<T>> multigrid(std::size_t number) const;
  /// The solver of the system of a Krylov rung, `matrix`, by that rung and those behind it.
  Ref<Solver<T>> krylov_from(std::size_t number, const Ref<LinearOperator<T>>& matrix) const;
  Ref<Solver<T>> made(const SolveRung& rung, const Ref<LinearOperator<T>>& matrix) const;
};

/// Solves M x = b in double by `solver`, of the same operator in single precision. The residuals that count are those
/// of M in double: where a solution misses its target by rounding, it is solved for a lower one, at most three times.
/// Solutions are rounded to single precision.
Ref<Solver<double>> rounded_solver(const Ref<EvenOddOperator<double>>& dirac, const Ref<Solver<float>>& solver,
                                   int max_iterations);

}  // namespace kaon::detail
