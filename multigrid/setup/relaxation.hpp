// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/krylov/richardson.hpp"

#include <kaon/multigrid/parameters.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::detail {

/// Steps of a smoother, and its degree in solves, unless parameters say otherwise (docs/decisions.md 23).
inline constexpr int smoothing_steps = 4;
/// Degree of the polynomial that relaxes noise, unless parameters say otherwise (docs/decisions.md 47).
inline constexpr int relaxation_steps = 18;
/// Steps of GCR on levels between the first and the last, in the setup.
inline constexpr int setup_cycle_steps = 2;
/// A last level that is too large for its inverse is solved to this residual, in this many iterations at most.
inline constexpr double bottom_tolerance = 0.1;
inline constexpr int most_bottom_iterations = 64;

/// The smoother of a system: Richardson's method with these weights, or minimal residuals without weights.
template <class T>
Ref<LinearOperator<T>> make_relaxation(const Ref<LinearOperator<T>>& system, const MultigridParameters& parameters,
                                       const Weights& weights) {
  if (!weights.empty()) return Richardson<T>(system, weights);
  return Mr<T>(system, {.omega = parameters.omega, .steps = parameters.smoothing_steps.value_or(smoothing_steps)});
}

}  // namespace kaon::detail
