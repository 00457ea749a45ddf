// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning.hpp"
#include "quarks/shift_solver.hpp"
#include "solvers/contract/solve_report.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>

namespace kaon {

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
  const double before = detail::tuning_seconds();
  std::vector<SolveResult> results = solver_(x, b);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].seconds -= detail::tuning_seconds() - before;
    detail::set_errors(results[i], x[i], b);
  }
  return results;
}

}  // namespace kaon
