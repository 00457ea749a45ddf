// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil_list.hpp"
#include "solvers/solve_report.hpp"

#include <kaon/propagators/multi_mass_solver.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kaon::detail {

/// Solves (A + sigma_i) x_i = b for all shifts.
using ShiftSolver = std::function<std::vector<SolveResult>(std::span<SpinorField<double>>, const SpinorField<double>&)>;

/// The multi-shift solver of A = `matrix(M)`, where M is `dirac` in the precision that is asked for, as a
/// `Ref<EvenOddOperator>`. Precisions that were not compiled are replaced by the next higher one. The tolerance is that
/// of every shift.
template <class Matrix>
ShiftSolver make_shift_solver(const OperatorInPrecisions<double>& dirac, const Matrix& matrix,
                              const std::vector<double>& shifts, double tolerance,
                              const MultiMassParameters& parameters) {
  require_same_receivers(dirac.exact->lattice(), parameters.on_iteration);
  const StencilList compiled = compiled_stencils();
  const LinkStorage links = parameters.links.value_or(
      compiled.has_storage(dirac.compressed_links) ? dirac.compressed_links : LinkStorage::full);
  const auto shared = [request = SolveRequest{.on_iteration = parameters.on_iteration}](auto solver) -> ShiftSolver {
    const auto kept = std::make_shared<decltype(solver)>(std::move(solver));
    return [kept, request](std::span<SpinorField<double>> x, const SpinorField<double>& b) {
      return kept->solve(x, b, request);
    };
  };
  const Ref<LinearOperator<double>> exact = matrix(dirac.exact);
  if (parameters.inner == InnerPrecision::outer || !compiled.has_precision(precision_name<float>())) {
    return shared(
        MultiShiftCg<double>(exact, shifts, {.tolerance = tolerance, .max_iterations = parameters.max_iterations}));
  }
  const MixedMultiShiftParameters mixed{.tolerance = tolerance,
                                        .max_iterations = parameters.max_iterations,
                                        .reliable_delta = parameters.reliable_delta,
                                        .sweep = parameters.sweep};
  const Ref<LinearOperator<float>> single = matrix(dirac.in_single(links, parameters.halo));
  if (parameters.inner == InnerPrecision::single || !compiled.has_precision(precision_name<half>())) {
    return shared(MixedMultiShiftCg<double, float>(exact, single, shifts, mixed));
  }
  const Ref<LinearOperator<half>> coarse = matrix(dirac.in_half(links, parameters.halo));
  return shared(MixedMultiShiftCg<double, float, half>(exact, single, coarse, shifts, mixed));
}

}  // namespace kaon::detail
