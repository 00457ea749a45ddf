// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/source_scale.hpp"
#include "solvers/shifts/shift_order.hpp"
#include "solvers/shifts/shift_restart.hpp"
#include "solvers/shifts/shifted_solve.hpp"

#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <utility>

namespace kaon {

template <class T>
MultiShiftCg<T>::MultiShiftCg(Ref<LinearOperator<T>> matrix, std::vector<double> shifts,
                              const SolverParameters& parameters, const std::vector<double>& tolerances)
    : shifts_(std::move(shifts)),
      order_(detail::order_of_shifts(shifts_)),
      tolerances_(detail::ordered_tolerances(tolerances, parameters.tolerance, order_)),
      parameters_(parameters) {
  detail::require_bounds(parameters);
  for (const std::size_t s : order_) systems_.emplace_back(matrix, shifts_[s]);
  parameters_.max_restarts = 0;
}

template <class T>
std::vector<SolveResult> MultiShiftCg<T>::solve(std::span<SpinorField<T>> x, const SpinorField<T>& b,
                                                const SolveRequest& request) const {
  detail::require_no_targets(request);
  detail::require_own_fields(x, b, shifts_.size(), "shifts");
  if (const detail::SourceLengths lengths = detail::source_lengths(b); !lengths.in_range) {
    return detail::solve_with_scale(x, b, lengths.scale,
                                    [&](const SpinorField<T>& scaled) { return solve(x, scaled, request); });
  }
  std::vector<SpinorField<T>*> ordered;
  for (const std::size_t s : order_) ordered.push_back(&x[s]);
  SolverParameters parameters = parameters_;
  parameters.max_iterations = detail::iterations_of_sweep(request, parameters.max_iterations);
  const Kokkos::Timer timer;
  const SolveRequest counting =
      detail::counted(request, static_cast<std::size_t>(b.right_hand_sides()), parameters_.max_iterations);
  std::vector<SolveResult> of_ordered =
      detail::ShiftedSolve<T, T>(systems_, systems_, ordered, b, tolerances_, parameters, counting).run();
  detail::go_on_alone(of_ordered, counting, true, [&](std::size_t s, const SolveRequest& rest) {
    const SolverParameters alone{.tolerance = tolerances_[s], .max_iterations = parameters_.max_iterations};
    return Cg<T>(systems_[s], alone).solve(*ordered[s], b, rest);
  });
  std::vector<SolveResult> results(shifts_.size());
  for (std::size_t s = 0; s < shifts_.size(); ++s) results[order_[s]] = std::move(of_ordered[s]);
  for (SolveResult& result : results) result.seconds = timer.seconds();
  return results;
}

template class MultiShiftCg<double>;
template class MultiShiftCg<float>;

}  // namespace kaon
