// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/in_precision.hpp>

#include <cmath>
#include <limits>

namespace kaon {

template <class T, class S>
InPrecision<T, S>::InPrecision(const LinearOperator<T>& matrix, const Solver<S>& inner,
                               const InPrecisionParameters& parameters)
    : matrix_(matrix), inner_(inner), parameters_(parameters) {
  require(matrix.domain() == inner.domain(), "the inner solver's operator acts on fields of another shape");
}

template <class T, class S>
SolveResult InPrecision<T, S>::solve(SpinorField<T>& x, const SpinorField<T>& b,
                                     std::span<const double> residual_norms) const {
  Kokkos::Timer timer;
  const std::vector<double> b_norm = detail::source_norms(b);
  const std::size_t n = b_norm.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<T> r = matrix_.make_field(right_hand_sides), d = matrix_.make_field(right_hand_sides);
  SpinorField<S> inner_r = inner_.make_field(right_hand_sides), inner_d = inner_.make_field(right_hand_sides);

  SolveResult total;
  total.right_hand_sides.resize(n);
  blas::Reals last(n, std::numeric_limits<double>::infinity()), weight(n), inverse(n);
  for (int cycle = 0;; ++cycle) {
    matrix_.apply(r, x);
    const blas::Reals norm2 = blas::residual_norm2(r, b);
    total.flops += matrix_.flops() * right_hand_sides;
    bool again = false;
    for (std::size_t k = 0; k < n; ++k) {
      auto& result = total.right_hand_sides[k];
      const double norm = std::sqrt(norm2[k]);
      const double target = residual_norms.empty() ? parameters_.tolerance * b_norm[k] : residual_norms[k];
      result.true_residual = result.iterated_residual = norm / b_norm[k];
      // What has converged rides along, its correction weighted by zero.
      weight[k] = 0.0;
      if (!std::isfinite(norm)) {
        result.status = SolveStatus::not_a_number;
      } else if (norm <= target) {
        result.status = SolveStatus::converged;
      } else if (norm > 0.5 * last[k]) {
        result.status = SolveStatus::stagnated;
      } else if (cycle >= parameters_.max_cycles) {
        result.status = SolveStatus::max_iterations;
      } else {
        again = true;
        weight[k] = norm;
        result.restarts = cycle;
      }
      last[k] = norm;
    }
    if (!again) break;
    // The inner problem has right-hand sides of length one, so that S can hold what is left of a small residual.
    for (std::size_t k = 0; k < n; ++k) {
      inverse[k] = 1.0 / last[k];
      if (weight[k] > 0.0) continue;
      SpinorField<T> r_k = r.range(static_cast<int>(k), 1);
      blas::copy(r_k, b.range(static_cast<int>(k), 1));  // r may be zero or NaN here, and no solver takes that
      inverse[k] = 1.0 / b_norm[k];
    }
    blas::scale(r, inverse);
    blas::copy(inner_r, r);
    blas::set_zero(inner_d);
    const SolveResult step = inner_.solve(inner_d, inner_r);
    blas::copy(d, inner_d);
    blas::axpy(x, d, weight);
    total.flops += step.flops;
    for (std::size_t k = 0; k < n; ++k) {
      if (weight[k] > 0.0) total.right_hand_sides[k].iterations += step.right_hand_sides[k].iterations;
    }
    total.history.insert(total.history.end(), step.history.begin(), step.history.end());
  }
  matrix_.lattice().execution().fence("kaon::InPrecision");
  total.seconds = timer.seconds();
  return total;
}

template class InPrecision<double, float>;

}  // namespace kaon
