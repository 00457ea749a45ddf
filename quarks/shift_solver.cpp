// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/shift_solver.hpp"

#include "core/base/parts.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

namespace kaon::detail {
namespace {

template <class Solver>
ShiftSolver shared(Solver solver, const OnIteration& on_iteration) {
  const auto kept = std::make_shared<const Solver>(std::move(solver));
  return ShiftSolver([kept](std::span<SpinorField<double>> x, const SpinorField<double>& b,
                            const SolveRequest& request) { return kept->solve(x, b, request); },
                     on_iteration);
}

}  // namespace

ShiftSolver make_shift_solver(const Quark<double>& quark, const MatrixInPrecisions& matrix,
                              const std::vector<double>& shifts, double tolerance, const SolveOptions& options,
                              const std::vector<double>& tolerances) {
  const SolvePlan plan = plan_shifts(quark, options, tolerance);
  const SolverParameters& bounds = plan.rungs.front().bounds;
  const Ref<LinearOperator<double>> exact = matrix(quark.exact());
  const auto deflated = [&]<class S>(ShiftSolver together, const Ref<LinearOperator<S>>& inner) {
    if (!plan.eigenvectors) return together;
    const auto alone = [exact, inner, bounds](double shift) -> Ref<Solver<double>> {
      return Cg<double, S>(Shifted<double>(exact, shift), Shifted<S>(inner, shift), bounds);
    };
    if constexpr (Parts::eigenvectors) {
      const DeflatedShifts given{exact, shifts, tolerance, plan.eigenvectors, std::move(together), alone};
      return deflated_shifts(given, options.on_iteration);
    }
    refuse_part("eigenvectors");
  };
  const MultiShiftParameters of_sweep{.tolerance = tolerance,
                                      .max_iterations = bounds.max_iterations,
                                      .reliable_delta = bounds.reliable_delta,
                                      .sweep = options.sweep,
                                      .tolerances = tolerances};
  if (plan.rungs.front().precision == precision_name<double>()) {
    return deflated(shared(MultiShiftCg<double>(exact, shifts, of_sweep), options.on_iteration), exact);
  }
  const auto single = matrix(operator_of<float>(quark, plan.rungs.front()));
  if (plan.rungs.size() == 1) {
    return deflated(shared(MultiShiftCg<double, float>(exact, single, shifts, of_sweep), options.on_iteration), single);
  }
  const auto coarse = matrix(operator_of<half>(quark, plan.rungs.back()));
  return deflated(
      shared(MultiShiftCg<double, float, half>(exact, single, coarse, shifts, of_sweep), options.on_iteration), single);
}

}  // namespace kaon::detail
