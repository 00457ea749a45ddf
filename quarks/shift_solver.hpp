// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quarks/rung_solver.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace kaon::detail {

/// Solves (A + sigma_i) x_i = b for all shifts. Accepts the requests of `MultiShiftCg::solve`.
using ShiftSolver = std::function<std::vector<SolveResult>(std::span<SpinorField<double>> x,
                                                           const SpinorField<double>& b, const SolveRequest&)>;

/// Marks a result of a system that the solve did not come to, or not to its end.
void stop(SolveResult& result, const blas::Reals& b_norm2);

/// Solves (A + sigma_s) x_s = b, A Hermitian and positive, with eigenvectors v_i of A, which are those of all shifts:
///
///   x_s = sum_i v_i <v_i, b> / (lambda_i + sigma_s) + y_s,    (A + sigma_s) y_s = b - sum_i v_i <v_i, b>
///
/// by `together`, whose Krylov space is orthogonal to the v_i. A sweep of all shifts accepts no guess of x_s, because
/// its residuals must be parallel. Errors of the v_i remain in b - (A + sigma_s) x_s and differ by shift. If they are
/// above the tolerance, `alone`, a solver of A + sigma_s, continues from x_s as `Deflated` does. Vectors in 16 bits are
/// used by `alone` only.
struct DeflatedShifts {
  Ref<LinearOperator<double>> matrix;  ///< A
  std::vector<double> shifts;
  double tolerance;
  std::shared_ptr<const Eigenvectors<double>> eigenvectors;
  ShiftSolver together;
  std::function<Ref<Solver<double>>(double shift)> alone;
};

/// Throws `Error` as `LowModes` does.
ShiftSolver deflated_shifts(const DeflatedShifts& given);

/// The multi-shift solver of A = `matrix(M)`, by `plan_shifts`. The tolerance is that of every shift, or each has its
/// own of `tolerances`, without eigenvectors. Eigenvectors are those of A in double. Requests without a receiver have
/// that of the options.
ShiftSolver make_shift_solver(const Quark<double>& quark, const MatrixInPrecisions& matrix,
                              const std::vector<double>& shifts, double tolerance, const SolveOptions& options,
                              const std::vector<double>& tolerances = {});

}  // namespace kaon::detail
