// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quarks/rung_solver.hpp"

#include <kaon/solvers/solver.hpp>

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

/// The multi-shift solver of A = `matrix(M)`, by `plan_shifts`. The tolerance is that of every shift, or each has its
/// own of `tolerances`, without eigenvectors. These are those of A in double.
ShiftSolver make_shift_solver(const Quark<double>& quark, const MatrixInPrecisions& matrix,
                              const std::vector<double>& shifts, double tolerance, const SolveOptions& options,
                              const std::vector<double>& tolerances = {});

}  // namespace kaon::detail
