// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/parts.hpp"
#include "operators/stencil_list.hpp"
#include "solvers/contract/solve_report.hpp"

#include <kaon/operators/shifted.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kaon::detail {

/// Solves (A + sigma_i) x_i = b for all shifts.
class ShiftSolver {
 public:
  using Solve = std::function<std::vector<SolveResult>(std::span<SpinorField<double>>, const SpinorField<double>&,
                                                       const SolveRequest&)>;

  /// `progress` is that of requests without a receiver.
  ShiftSolver(Solve solve, Progress progress = {}) : solve_(std::move(solve)), progress_(std::move(progress)) {}
  /// Accepts the requests of `MultiShiftCg::solve`.
  std::vector<SolveResult> operator()(std::span<SpinorField<double>> x, const SpinorField<double>& b,
                                      SolveRequest request = {}) const {
    if (!request.progress) request.progress = progress_;
    return solve_(x, b, request);
  }

 private:
  Solve solve_;
  Progress progress_;
};

/// Solves (A + sigma_s) x_s = b, A Hermitian and positive, with eigenvectors v_i of A, which are those of all shifts:
///
///   x_s = sum_i v_i <v_i, b> / (lambda_i + sigma_s) + y_s,    (A + sigma_s) y_s = b - sum_i v_i <v_i, b>
///
/// by `together`, whose Krylov space is orthogonal to the v_i. No guess of x_s could be given to a sweep of all shifts:
/// their residuals must be parallel. Errors of the v_i are left in b - (A + sigma_s) x_s, different ones for each
/// shift: where that is above the tolerance `alone`, a solver of A + sigma_s, goes on from x_s as `Deflated` does. With
/// vectors in 16 bits it does all.
struct DeflatedShifts {
  Ref<LinearOperator<double>> matrix;  ///< A
  std::vector<double> shifts;
  double tolerance;
  std::shared_ptr<const Eigenvectors<double>> eigenvectors;
  ShiftSolver together;
  std::function<Ref<Solver<double>>(double shift)> alone;
};

/// Throws `Error` as `LowModes` does.
ShiftSolver deflated_shifts(const DeflatedShifts& given, Progress progress = {});

/// The multi-shift solver of A = `matrix(M)`, where M is `dirac` in the precision that is asked for, as a
/// `Ref<EvenOddOperator>`. Precisions that were not compiled are replaced by the next higher one. The tolerance is that
/// of every shift, or each has its own of `tolerances`, without eigenvectors. These are those of A in double.
template <class Matrix>
ShiftSolver make_shift_solver(const Quark<double>& dirac, const Matrix& matrix, const std::vector<double>& shifts,
                              double tolerance, const MultiMassParameters& parameters,
                              const std::vector<double>& tolerances = {}) {
  require_same_receivers(dirac->lattice(), parameters.on_iteration);
  const StencilList compiled = compiled_stencils();
  const LinkStorage links = parameters.links.value_or(dirac.compressed_links());
  const auto shared = [&](auto solver) {
    const auto kept = std::make_shared<decltype(solver)>(std::move(solver));
    return ShiftSolver([kept](std::span<SpinorField<double>> x, const SpinorField<double>& b,
                              const SolveRequest& request) { return kept->solve(x, b, request); },
                       parameters.on_iteration);
  };
  const Ref<LinearOperator<double>> exact = matrix(dirac.exact());
  const SolverParameters bounds{
      .tolerance = tolerance, .max_iterations = parameters.max_iterations, .reliable_delta = parameters.reliable_delta};
  const auto deflated = [&]<class S>(ShiftSolver together, const Ref<LinearOperator<S>>& inner) {
    if (!parameters.eigenvectors) return together;
    const auto alone = [exact, inner, bounds](double shift) -> Ref<Solver<double>> {
      return Cg<double, S>(Shifted<double>(exact, shift), Shifted<S>(inner, shift), bounds);
    };
    if constexpr (Parts::eigenvectors) {
      const DeflatedShifts given{exact, shifts, tolerance, parameters.eigenvectors, std::move(together), alone};
      return deflated_shifts(given, parameters.on_iteration);
    }
    refuse_part("eigenvectors");
  };
  const MultiShiftParameters of_sweep{.tolerance = tolerance,
                                      .max_iterations = parameters.max_iterations,
                                      .reliable_delta = parameters.reliable_delta,
                                      .sweep = parameters.sweep,
                                      .tolerances = tolerances};
  if (parameters.inner == InnerPrecision::outer || !compiled.has_precision(precision_name<float>())) {
    return deflated(shared(MultiShiftCg<double>(exact, shifts, of_sweep)), exact);
  }
  const Ref<LinearOperator<float>> single = matrix(dirac.in<float>(links, parameters.halo));
  if (parameters.inner == InnerPrecision::single || !compiled.has_precision(precision_name<half>())) {
    return deflated(shared(MultiShiftCg<double, float>(exact, single, shifts, of_sweep)), single);
  }
  const Ref<LinearOperator<half>> coarse = matrix(dirac.in<half>(links, parameters.halo));
  return deflated(shared(MultiShiftCg<double, float, half>(exact, single, coarse, shifts, of_sweep)), single);
}

}  // namespace kaon::detail
