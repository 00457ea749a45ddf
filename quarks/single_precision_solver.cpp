// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/refinement.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/quarks/single_precision_solver.hpp>

#include <utility>

namespace kaon {

SinglePrecisionSolver::SinglePrecisionSolver(const Quark<double>& dirac, const PropagatorSolverParameters& parameters)
    : dirac_(dirac), max_iterations_(parameters.max_iterations), solver_(dirac.in_single(), parameters) {}

SinglePrecisionSolver SinglePrecisionSolver::updated(const Quark<double>& dirac) const {
  return SinglePrecisionSolver(dirac, solver_.parameters_of_update());
}

SolveResult SinglePrecisionSolver::solve(SpinorField<double>& x, const SpinorField<double>& b,
                                         const SolveRequest& request) const {
  require_domain(x, b);
  const detail::Targets targets = detail::make_targets(x, b, tolerance(), request);
  if (auto result = detail::solve_scaled<double, float>(*this, x, b, targets, request)) return std::move(*result);
  SpinorField<float> x_float(x.lattice(), x.parameters()), b_float(b.lattice(), b.parameters());
  blas::copy(x_float, x);
  blas::copy(b_float, b);
  SpinorField<double> residual = dirac_->make_field(b.right_hand_sides());
  detail::Refinement refinement(targets, request.bounded(targets.active.size(), max_iterations_), {});
  const auto solve_in_single = [&](const SolveRequest& of_single) {
    return solver_.solve(x_float, b_float, of_single);
  };
  const auto goes_on = [&] {
    for (std::size_t k = 0; k < targets.active.size(); ++k) {
      if (!targets.active[k]) continue;
      SpinorField<double> x_k = x.right_hand_side(k);
      blas::copy(x_k, x_float.right_hand_side(k));
    }
    dirac_->apply(residual, x);
    return refinement.goes_on(detail::norms(blas::xmy_norm2(residual, b)));
  };
  refinement.run(solve_in_single, goes_on);
  return std::move(refinement.result());
}

}  // namespace kaon
