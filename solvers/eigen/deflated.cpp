// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/refinement.hpp"
#include "solvers/eigen/low_modes.hpp"

#include <kaon/solvers/eigenvectors.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace kaon {

namespace {

/// The residual falls by this factor between two corrections.
constexpr double stage_fall = 1e-3;

}  // namespace

template <class T>
Deflated<T>::Deflated(Ref<Solver<T>> solver, std::shared_ptr<const Eigenvectors<T>> eigenvectors)
    : Deflated(solver, std::make_shared<const detail::LowModes<T>>(solver->solved_operator(), std::move(eigenvectors)),
               0.0) {}

template <class T>
Deflated<T>::Deflated(Ref<Solver<T>> solver, std::shared_ptr<const detail::LowModes<T>> modes, double shift)
    : solver_(std::move(solver)), modes_(std::move(modes)), shift_(shift) {}

template <class T>
SolveResult Deflated<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const Kokkos::Timer timer;
  const LinearOperator<T>& matrix = solved_operator();
  const int right_hand_sides = b.right_hand_sides();
  const detail::Targets targets = detail::make_targets(x, b, tolerance(), request);
  const std::vector<double>& wanted = targets.residual_norm;
  detail::Refinement refinement(targets, request, {.most_solves = std::numeric_limits<int>::max()});
  SpinorField<T> r = matrix.make_field(right_hand_sides);
  const double reals = 2.0 * static_cast<double>(r.parameters().components_of_all_slices()) *
                       static_cast<double>(r.lattice().volume()) * r.parities() / 2.0;

  const auto solve_stage = [&](SolveRequest& stage) {
    matrix.apply(r, x);
    const blas::Reals norm = detail::norms(blas::xmy_norm2(r, b));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const bool is_corrected = stage.active[k] && norm[k] > wanted[k];
      if (!is_corrected) blas::set_zero(r.right_hand_side(k));
      if (stage.active[k]) stage.residual_norms[k] = std::max(wanted[k], stage_fall * norm[k]);
    }
    modes_->add_solution(x, modes_->parts(r), shift_);
    SolveResult solved = solver_->solve(x, b, stage);
    // A multiplication and an addition of complex numbers are 8 flops, 4 for each real.
    solved.flops += right_hand_sides * (flops_of(matrix) + 8.0 * reals * static_cast<double>(modes_->count()));
    return solved;
  };
  const auto goes_on = [&] {
    const SolveResult& solved = refinement.result();
    blas::Reals norm = targets.source_norm;
    for (std::size_t k = 0; k < norm.size(); ++k) {
      norm[k] *= solved.right_hand_sides[k].true_residual;
      const bool reached = solved.right_hand_sides[k].status == SolveStatus::converged;
      if (reached && refinement.request().residual_norms[k] <= wanted[k]) norm[k] = std::min(norm[k], wanted[k]);
    }
    return refinement.goes_on(norm);
  };
  refinement.run(solve_stage, goes_on);
  SolveResult& total = refinement.result();
  for (SolveResult::RightHandSide& r : total.right_hand_sides) {
    // Rounding brings modes back that the iterations have not seen.
    r.error_per_residual = std::max(r.error_per_residual, 1.0 / (modes_->smallest() + shift_));
  }
  matrix.lattice().execution().fence("kaon::Deflated");
  total.seconds = timer.seconds();
  return std::move(total);
}

template class Deflated<double>;
template class Deflated<float>;

}  // namespace kaon
