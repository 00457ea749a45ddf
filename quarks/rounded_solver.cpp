// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/plan_solver.hpp"
#include "solvers/contract/refinement.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/core/blas.hpp>

#include <utility>

namespace kaon::detail {
namespace {

class RoundedSolver final : public Solver<double> {
 public:
  RoundedSolver(Ref<EvenOddOperator<double>> dirac, Ref<Solver<float>> solver, int max_iterations)
      : dirac_(std::move(dirac)), solver_(std::move(solver)), max_iterations_(max_iterations) {}

  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request) const override;
  const LinearOperator<double>& solved_operator() const override { return *dirac_; }
  double tolerance() const override { return solver_->tolerance(); }

 private:
  Ref<EvenOddOperator<double>> dirac_;
  Ref<Solver<float>> solver_;
  int max_iterations_;
};

SolveResult RoundedSolver::solve(SpinorField<double>& x, const SpinorField<double>& b,
                                 const SolveRequest& request) const {
  require_domain(x, b);
  const Targets targets = make_targets(x, b, tolerance(), request);
  if (auto result = solve_scaled<double, float>(*this, x, b, targets, request)) return std::move(*result);
  SpinorField<float> x_float(x.lattice(), x.parameters()), b_float(b.lattice(), b.parameters());
  blas::copy(x_float, x);
  blas::copy(b_float, b);
  SpinorField<double> residual = dirac_->make_field(b.right_hand_sides());
  Refinement refinement(targets, request.bounded(targets.active.size(), max_iterations_), {});
  const auto solve_in_single = [&](const SolveRequest& of_single) {
    return solver_->solve(x_float, b_float, of_single);
  };
  const auto goes_on = [&] {
    for (std::size_t k = 0; k < targets.active.size(); ++k) {
      if (!targets.active[k]) continue;
      SpinorField<double> x_k = x.right_hand_side(k);
      blas::copy(x_k, x_float.right_hand_side(k));
    }
    dirac_->apply(residual, x);
    return refinement.goes_on(norms(blas::xmy_norm2(residual, b)));
  };
  refinement.run(solve_in_single, goes_on);
  return std::move(refinement.result());
}

}  // namespace

Ref<Solver<double>> rounded_solver(const Ref<EvenOddOperator<double>>& dirac, const Ref<Solver<float>>& solver,
                                   int max_iterations) {
  return RoundedSolver(dirac, solver, max_iterations);
}

}  // namespace kaon::detail
