// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/krylov/richardson.hpp"

#include <kaon/multigrid/parameters.hpp>
#include <kaon/solvers/mr.hpp>

namespace kaon::detail {

/// Where their number is unset, but for the degree in V-cycles on hypercubes (docs/decisions.md 23).
inline constexpr int smoothing_steps = 4, smoothing_degree_of_v_cycle = 6;

/// The smoother of a system: Richardson's method with these weights, minimal residuals without any.
template <class T>
Ref<LinearOperator<T>> make_relaxation(const Ref<LinearOperator<T>>& system, const MultigridParameters& parameters,
                                       const Weights& weights) {
  if (!weights.empty()) return Richardson<T>(system, weights);
  return Mr<T>(system, {.omega = parameters.omega, .steps = parameters.smoothing_steps.value_or(smoothing_steps)});
}

}  // namespace kaon::detail
