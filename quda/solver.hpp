// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/description.hpp"
#include "quda/operator.hpp"

#include <kaon/propagators/propagator_solver.hpp>
#include <kaon/propagators/single_precision_solver.hpp>

#include <memory>
#include <variant>

namespace kaon::quda {

/// Solves M x = b and M^dag x = b for an `Operator`'s M.
class CachedSolver {
 public:
  CachedSolver(std::shared_ptr<const Operator> of, const PropagatorSolverParameters& parameters, bool single);

  const Operator& of() const { return *operator_; }
  /// Until |b - M x| <= residual_norms[k] for each right-hand side k, from what is in x.
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, std::span<const double> residual_norms,
                    bool adjoint) const;
  /// As `PropagatorSolver::near_null_vectors`.
  SpinorField<float> near_null_vectors() const;
  std::optional<MultigridReport> multigrid_report() const;

 private:
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, std::span<const double> residual_norms) const;

  std::shared_ptr<const Operator> operator_;
  std::variant<PropagatorSolver<double>, SinglePrecisionSolver> solver_;
};

/// The operator whose M^dag, between two G (`Operator::conjugate`), is that of the description's: the sign of a twist
/// changes.
OperatorDescription conjugate(const OperatorDescription& description);

/// Solves [matrix] x = b on `matrix.subset()`, from what is in x, by `solver` and, where M^dag is needed and differs
/// from G M G, by `other`. The residual of each right-hand side is at most `targets[k]` if it has converged; it is that
/// of the matrix itself, in double. `heavy_quark`: a bound on its other residual; 0: none.
SolveResult solve_matrix(const MatrixDescription& matrix, const CachedSolver& solver, const CachedSolver& other,
                         SpinorField<double>& x, const SpinorField<double>& b, std::span<const double> targets,
                         double heavy_quark);

}  // namespace kaon::quda
