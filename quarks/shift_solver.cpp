// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/shift_solver.hpp"

#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"
#include "core/tuning/tuning.hpp"
#include "solvers/contract/solve_report.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <utility>

namespace kaon {
namespace detail {

void stop(SolveResult& result, const blas::Reals& b_norm2) {
  result.stopped = true;
  if (result.right_hand_sides.empty()) {
    for (const double norm2 : b_norm2) result.right_hand_sides.push_back({.true_residual = norm2 > 0.0 ? 1.0 : 0.0});
  }
  for (auto& r : result.right_hand_sides) {
    if (r.status != SolveStatus::converged)
      r.status = r.true_residual == 0.0 ? SolveStatus::converged : SolveStatus::stopped;
  }
}

ShiftSolver make_shift_solver(const Quark<double>& quark, const MatrixInPrecisions& matrix,
                              const std::vector<double>& shifts, double tolerance, const SolveOptions& options,
                              const std::vector<double>& tolerances) {
  const SolvePlan plan = plan_shifts(quark, options, tolerance);
  const SolverParameters& bounds = plan.rungs.front().bounds;
  const Ref<LinearOperator<double>> exact = matrix(quark.exact());
  const MultiShiftParameters of_sweep{.tolerance = tolerance,
                                      .max_iterations = bounds.max_iterations,
                                      .reliable_delta = bounds.reliable_delta,
                                      .sweep = options.sweep,
                                      .tolerances = tolerances};
  // The sweep, deflated if there are eigenvectors; `inner` is the matrix in the precision of its iterations.
  const auto made = [&]<class Sweep, class S>(Sweep sweep, const Ref<LinearOperator<S>>& inner) -> ShiftSolver {
    ShiftSolver solve = [sweep = std::make_shared<const Sweep>(std::move(sweep))](
                            std::span<SpinorField<double>> x, const SpinorField<double>& b,
                            const SolveRequest& request) { return sweep->solve(x, b, request); };
    if (plan.eigenvectors) {
      const auto alone = [exact, inner, bounds](double shift) -> Ref<Solver<double>> {
        return Cg<double, S>(Shifted<double>(exact, shift), Shifted<S>(inner, shift), bounds);
      };
      if constexpr (Parts::eigenvectors) {
        solve = deflated_shifts({exact, shifts, tolerance, plan.eigenvectors, std::move(solve), alone});
      } else {
        refuse_part("eigenvectors");
      }
    }
    return [solve = std::move(solve), progress = Progress(options.on_iteration)](
               std::span<SpinorField<double>> x, const SpinorField<double>& b, SolveRequest request) {
      if (!request.progress) request.progress = progress;
      return solve(x, b, request);
    };
  };
  if (plan.rungs.front().precision == precision_name<double>()) {
    return made(MultiShiftCg<double>(exact, shifts, of_sweep), exact);
  }
  const auto single = matrix(operator_of<float>(quark, plan.rungs.front()));
  if (plan.rungs.size() == 1) {
    return made(MultiShiftCg<double, float>(exact, single, shifts, of_sweep), single);
  }
  const auto coarse = matrix(operator_of<half>(quark, plan.rungs.back()));
  return made(MultiShiftCg<double, float, half>(exact, single, coarse, shifts, of_sweep), single);
}

}  // namespace detail

NormalShiftSolver::NormalShiftSolver(const Quark<double>& dirac, std::vector<double> shifts,
                                     const SolveOptions& parameters)
    : shifts_(std::move(shifts)) {
  const auto normal = []<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
    return NormalOperator<T>(full);
  };
  solver_ = detail::make_shift_solver(dirac, normal, shifts_, parameters.tolerance, parameters);
}

NormalShiftSolver::NormalShiftSolver(const Quark<double>& dirac, const SchurParameters& schur,
                                     std::vector<double> shifts, const SolveOptions& parameters)
    : shifts_(std::move(shifts)) {
  const auto normal = [schur]<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
    return NormalOperator<T>(Schur<T>(full, schur));
  };
  solver_ = detail::make_shift_solver(dirac, normal, shifts_, parameters.tolerance, parameters);
}

std::vector<SolveResult> NormalShiftSolver::solve(std::span<SpinorField<double>> x,
                                                  const SpinorField<double>& b) const {
  detail::tell_zeros(b.lattice(), detail::source_lengths(b));
  const detail::Phase phase(detail::PhaseName::solve);
  const double before = detail::tuning_seconds();
  std::vector<SolveResult> results = solver_(x, b, {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].seconds -= detail::tuning_seconds() - before;
    detail::set_errors(results[i], x[i], b);
  }
  return results;
}

}  // namespace kaon
