// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/solve_state.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <type_traits>

namespace kaon::detail {

/// Powers of two that bring sources of these norms to a length near one. None where all are such already that `float`
/// holds the residuals of a solve, which are much smaller.
inline std::optional<blas::Reals> source_scale(std::span<const double> norm) {
  constexpr int near_one = 40;  // powers of two
  blas::Reals scale;
  bool needed = false;
  for (const double length : norm) {
    const int power = std::ilogb(length);
    const bool far = std::abs(power) > near_one;
    scale.push_back(far ? std::ldexp(1.0, -power) : 1.0);
    needed = needed || far;
  }
  if (!needed) return std::nullopt;
  return scale;
}

/// Solves M (s x) = s b with `solver` to s times the targets, where iterations in a precision S below T need such a
/// scale; none where they do not. `float` does not hold what is left of a source of 1e-25 at the end of a solve.
template <class T, class S>
std::optional<SolveResult> solve_scaled(const Solver<T>& solver, SpinorField<T>& x, const SpinorField<T>& b,
                                        Targets targets, std::span<const double> residual_norms) {
  if constexpr (std::is_same_v<T, S>) {
    return std::nullopt;
  } else {
    const std::optional<blas::Reals> scale = source_scale(targets.source_norm);
    if (!scale) return std::nullopt;
    blas::Reals inverse;
    for (const double factor : *scale) inverse.push_back(1.0 / factor);
    for (std::size_t k = 0; k < inverse.size(); ++k) targets.residual_norm[k] *= (*scale)[k];
    SpinorField<T> scaled(b.lattice(), b.parameters());
    blas::copy(scaled, b);
    blas::scale(scaled, *scale);
    blas::scale(x, *scale);
    SolveResult result = solver.solve(
        x, scaled, residual_norms.empty() ? residual_norms : std::span<const double>(targets.residual_norm));
    blas::scale(x, inverse);
    return result;
  }
}

}  // namespace kaon::detail
