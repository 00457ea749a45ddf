// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/in_precision.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
    const double enough = norms[k] > 0.0 ? 0.9 * wanted[k] / norms[k] : 1.0;
    result.push_back(std::max(parameters_.inner_tolerance, enough));
  }
  return result;
}

template <class T, class S>
SolveResult InPrecision<T, S>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  Kokkos::Timer timer;
  const detail::Targets targets = detail::make_targets(x, b, parameters_.tolerance, request);
  const std::vector<double>& b_norm = targets.source_norm;
  const std::size_t n = b_norm.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<T> r = matrix_->make_field(right_hand_sides), d = matrix_->make_field(right_hand_sides);
  SpinorField<S> inner_r = inner_->make_field(right_hand_sides), inner_d = inner_->make_field(right_hand_sides);

  SolveResult total;
  total.right_hand_sides.resize(n);
  std::vector<bool> running = targets.active;
  for (std::size_t k = 0; k < n; ++k) {
    if (!running[k]) total.right_hand_sides[k].status = SolveStatus::converged;
  }
  constexpr int no_bound = std::numeric_limits<int>::max();
  const SolveRequest bounds =
      request.bounded(n, parameters_.max_iterations > 0 ? parameters_.max_iterations : no_bound);
  blas::Reals least(n, std::numeric_limits<double>::infinity()), weight(n), inverse(n);  // least: |b - M x|
  for (int cycle = 0;; ++cycle) {
    matrix_->apply(r, cycle == 0 ? x : d);  // d becomes x where its residual is smaller
    const blas::Reals norm2 = blas::xmy_norm2(r, b);
    total.flops += matrix_->flops() * right_hand_sides;
    if (cycle > 0 && parameters_.on_iteration && !total.stopped) {
      blas::Reals relative(n);
      for (std::size_t k = 0; k < n; ++k) relative[k] = std::sqrt(norm2[k]) / b_norm[k];
      total.stopped = !detail::goes_on(matrix_->lattice(), parameters_.on_iteration, total.iterations(), relative);
    }
    bool again = false;
    std::vector<std::size_t> harmed;
    for (std::size_t k = 0; k < n; ++k) {
      auto& result = total.right_hand_sides[k];
      const double norm = std::sqrt(norm2[k]);
      weight[k] = inverse[k] = 0.0;
      if (running[k]) {
        const double last = least[k];
        running[k] = false;
        if (!std::isfinite(norm)) {
          result.status = SolveStatus::not_a_number;
        } else if (norm <= targets.residual_norm[k]) {
          result.status = SolveStatus::converged;
        } else if (total.stopped) {
          result.status = SolveStatus::stopped;
        } else if (norm > 0.5 * last) {
          result.status = SolveStatus::stagnated;
        } else if (cycle >= parameters_.max_refinements || result.iterations >= bounds.iterations[k]) {
          result.status = SolveStatus::max_iterations;
        } else {
          running[k] = again = true;
          weight[k] = norm;
          inverse[k] = 1.0 / norm;
          result.restarts = cycle;
        }
        if (norm <= last) {
          least[k] = norm;
          result.true_residual = result.iterated_residual = norm / b_norm[k];
        } else {
          harmed.push_back(k);
        }
      }
      if (!running[k]) {  // it may be NaN, which the inner solver refuses
        SpinorField<T> r_k = r.right_hand_side(k);
        blas::set_zero(r_k);
      }
    }
    for (const std::size_t k : harmed) {
      SpinorField<T> d_k = d.right_hand_side(k);
      blas::copy(d_k, x.right_hand_side(k));
    }
    if (cycle > 0) blas::copy(x, d);
    if (!again) break;
    blas::scale(r, inverse);  // of length one, so that S can hold what is left of a small residual
    blas::copy(inner_r, r);
    blas::set_zero(inner_d);
    SolveRequest of_inner = bounds.after(total);
    of_inner.residual_norms = inner_targets(weight, targets.residual_norm);
    of_inner.active = running;
    const SolveResult step = inner_->solve(inner_d, inner_r, of_inner);
    blas::copy(d, inner_d);
    blas::xpay(d, x, weight);  // x + |r| d
    total.stopped = step.stopped;
    total.flops += step.flops;
    total.reliable_updates += step.reliable_updates;
    for (std::size_t k = 0; k < n; ++k) {
      if (running[k]) total.right_hand_sides[k].iterations += step.right_hand_sides[k].iterations;
    }
    total.history.insert(total.history.end(), step.history.begin(), step.history.end());
  }
  for (std::size_t k = 0; k < n; ++k) {
    auto& result = total.right_hand_sides[k];
    if (result.status == SolveStatus::converged || least[k] <= b_norm[k]) continue;
    SpinorField<T> x_k = x.right_hand_side(k);
    blas::set_zero(x_k);
    result.true_residual = result.iterated_residual = 1.0;
  }
  matrix_->lattice().execution().fence("kaon::InPrecision");
  total.seconds = timer.seconds();
  return total;
}

template class InPrecision<double, float>;
template class InPrecision<double, half>;
template class InPrecision<float, half>;

}  // namespace kaon
