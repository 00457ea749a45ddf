// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/best_solution.hpp"
#include "solvers/contract/refinement.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/adapters.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace kaon {

template <class T, class S>
InPrecision<T, S>::InPrecision(Ref<LinearOperator<T>> matrix, Ref<Solver<S>> inner,
                               const InPrecisionParameters& parameters)
    : matrix_(std::move(matrix)), inner_(std::move(inner)), parameters_(parameters) {
  require(matrix_->domain() == inner_->domain(), "the inner solver's operator acts on fields of another shape");
  detail::require_tolerance(parameters.tolerance);
  require(parameters.max_refinements >= 1,
          [&] { return fmt::format("max_refinements is {}: at least one", parameters.max_refinements); });
  require(parameters.inner_tolerance >= 0.0 && parameters.inner_tolerance < 1.0, [&] {
    return fmt::format("inner_tolerance is {}: it lies between 0 and 1, or is 0", parameters.inner_tolerance);
  });
  require(parameters.max_iterations >= 0, [&] {
    return fmt::format("max_iterations is {}: give 0, for no bound, or more", parameters.max_iterations);
  });
}

template <class T, class S>
std::vector<double> InPrecision<T, S>::inner_targets(std::span<const double> norms,
                                                     std::span<const double> wanted) const {
  std::vector<double> result;
  for (std::size_t k = 0; k < norms.size() && parameters_.inner_tolerance > 0.0; ++k) {
    // The correction is rounded: aim a little lower.
    const double enough = norms[k] > 0.0 ? detail::refinement_safety * wanted[k] / norms[k] : 1.0;
    result.push_back(std::max(parameters_.inner_tolerance, enough));
  }
  return result;
}

template <class T, class S>
SolveResult InPrecision<T, S>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  Kokkos::Timer timer;
  const detail::Targets targets = detail::make_targets(x, b, parameters_.tolerance, request);
  const std::size_t n = targets.active.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<T> r = matrix_->make_field(right_hand_sides);
  SpinorField<S> inner_r = inner_->make_field(right_hand_sides), inner_d = inner_->make_field(right_hand_sides);

  constexpr int no_bound = std::numeric_limits<int>::max();
  detail::Refinement refinement(
      targets, request.bounded(n, parameters_.max_iterations > 0 ? parameters_.max_iterations : no_bound),
      {.most_solves = parameters_.max_refinements,
       .least_progress = 0.5,
       .out_of_solves = SolveStatus::max_iterations});
  SolveResult& total = refinement.result();
  detail::BestSolution<T> best(targets);
  blas::Reals norm;
  const Progress progress = request.progress.counted();
  const auto goes_on = [&] {
    matrix_->apply(r, x);
    norm = detail::norms(blas::xmy_norm2(r, b));
    total.flops += flops_of(*matrix_) * right_hand_sides;
    best.see(x, 0, norm, refinement.request().active);
    return refinement.goes_on(norm);
  };
  const auto solve_for_residual = [&](SolveRequest& of_inner) {
    blas::Reals weight = norm, inverse(n);
    for (std::size_t k = 0; k < n; ++k) {
      if (of_inner.active[k]) {
        inverse[k] = 1.0 / norm[k];
        continue;
      }
      weight[k] = 0.0;
      blas::set_zero(r.right_hand_side(k));  // it may be NaN, which the inner solver refuses
    }
    blas::scale(r, inverse);  // of length one, so that S can represent a small residual
    blas::copy(inner_r, r);
    blas::set_zero(inner_d);
    of_inner.residual_norms = inner_targets(weight, targets.residual_norm);
    of_inner.progress = progress.narrowed(norm, targets.source_norm, of_inner.active);
    SolveResult solved = inner_->solve(inner_d, inner_r, of_inner);
    for (auto& side : solved.right_hand_sides) side.restarts = refinement.solves() > 0 ? 1 : 0;
    blas::copy(r, inner_d);
    blas::axpy(x, r, weight);  // x + |r| d
    return solved;
  };
  const bool needed = goes_on();
  for (std::size_t k = 0; k < n; ++k) best.begin(k, norm[k]);
  if (needed) refinement.run(solve_for_residual, goes_on);

  for (std::size_t k = 0; k < n; ++k) {
    auto& side = total.right_hand_sides[k];
    side.error_per_residual = std::max(side.error_per_residual, best.error_per_residual(k));
    side.error_at_least = side.error_at_least && best.error_at_least(k);
    if (side.status != SolveStatus::converged) {
      best.restore(x, k);
      side.true_residual = best.norm(k) / targets.source_norm[k];
    }
    side.iterated_residual = side.true_residual;
  }
  matrix_->lattice().execution().fence("kaon::InPrecision");
  total.seconds = timer.seconds();
  return std::move(total);
}

template class InPrecision<double, float>;
template class InPrecision<double, half>;
template class InPrecision<float, half>;

}  // namespace kaon
