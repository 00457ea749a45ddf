// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kaon {

/// Solves M x = b for an operator in double by a `PropagatorSolver` in single precision or less: half the memory, and a
/// residual of some 1e-6 at best. The residuals that count are those of M in double: where a solution misses its target
/// by rounding, it is solved for a lower one, at most three times. Solutions are rounded to single precision.
class SinglePrecisionSolver final : public Solver<double> {
 public:
  /// Keeps `dirac`. `InnerPrecision::outer` is single precision here. Throws `Error` as `PropagatorSolver` does.
  explicit SinglePrecisionSolver(const Quark<double>& dirac, const PropagatorSolverParameters& parameters = {});

  using Solver<double>::solve;
  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request) const override;
  const LinearOperator<double>& solved_operator() const override { return *dirac_; }
  double tolerance() const override { return solver_.tolerance(); }
  /// As `PropagatorSolver`.
  SinglePrecisionSolver updated(const Quark<double>& dirac) const;
  std::optional<MultigridReport> multigrid_report() const { return solver_.multigrid_report(); }
  SpinorField<float> near_null_vectors() const { return solver_.near_null_vectors(); }

 private:
  Quark<double> dirac_;
  int max_iterations_;
  PropagatorSolver<float> solver_;
};

}  // namespace kaon
