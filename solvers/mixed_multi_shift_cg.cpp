// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/mixed_multi_shift_cg.hpp>

namespace kaon {

template <class T, class S>
MixedMultiShiftCg<T, S>::MixedMultiShiftCg(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner_matrix,
                                           std::vector<double> shifts, const MixedMultiShiftParameters& parameters)
    : multi_shift_(inner_matrix, std::move(shifts),
                   {.tolerance = parameters.inner_tolerance, .max_iterations = parameters.max_iterations}),
      parameters_(parameters) {
  require(matrix->domain() == inner_matrix->domain(),
          "the operators in the two precisions act on fields of two shapes");
  for (const double shift : multi_shift_.shifts()) {
    systems_.emplace_back(matrix, shift);
    inner_systems_.emplace_back(inner_matrix, shift);
  }
}

template <class T, class S>
SolveResult MixedMultiShiftCg<T, S>::refine(std::size_t s, SpinorField<T>& x, const SpinorField<T>& b) const {
  return Cg<T, S>(systems_[s], inner_systems_[s],
                  {.tolerance = parameters_.tolerance,
                   .max_iterations = parameters_.max_iterations,
                   .reliable_delta = parameters_.reliable_delta})
      .solve(x, b, {});
}

template <class T, class S>
std::vector<SolveResult> MixedMultiShiftCg<T, S>::solve(std::span<SpinorField<T>> x, const SpinorField<T>& b) const {
  const Kokkos::Timer timer;
  // In S everything is made for a source of length one.
  blas::Reals norm = blas::norm2(b), inverse = norm;
  for (std::size_t k = 0; k < norm.size(); ++k) {
    norm[k] = std::sqrt(norm[k]);
    inverse[k] = norm[k] > 0.0 ? 1.0 / norm[k] : 0.0;
  }
  SpinorField<T> scaled(b.lattice(), b.parameters());
  SpinorField<S> inner_b(b.lattice(), b.parameters());
  blas::copy(scaled, b);
  blas::scale(scaled, inverse);
  blas::copy(inner_b, scaled);
  std::vector<SpinorField<S>> inner_x;
  for (std::size_t s = 0; s < x.size(); ++s) inner_x.emplace_back(b.lattice(), b.parameters());
  const std::vector<SolveResult> started = multi_shift_.solve(inner_x, inner_b);

  std::vector<SolveResult> results;
  for (std::size_t s = 0; s < x.size(); ++s) {
    blas::copy(x[s], inner_x[s]);
    blas::scale(x[s], norm);
    SolveResult result = refine(s, x[s], b);
    for (std::size_t k = 0; k < norm.size(); ++k) {
      const auto& start = started[s].right_hand_sides[k];
      auto& end = result.right_hand_sides[k];
      end.iterations += start.iterations;
      const bool cause = start.status != SolveStatus::converged && start.status != SolveStatus::stagnated;
      if (end.status != SolveStatus::converged && cause) end.status = start.status;
    }
    result.flops += started[s].flops;
    results.push_back(std::move(result));
  }
  for (SolveResult& result : results) result.seconds = timer.seconds();
  return results;
}

template class MixedMultiShiftCg<double, float>;

}  // namespace kaon
