// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace kaon::detail {

/// Powers of two that scale sources of these norms to a length near one. No value if `float` can represent the
/// residuals of a solve, which are much smaller, without a scale.
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

/// Calls solve(s b), which fills x with the solutions for s b, and divides x by s. Earlier values of x are multiplied.
template <class T, class Solve>
auto solve_with_scale(std::span<SpinorField<T>> x, const SpinorField<T>& b, const blas::Reals& scale,
                      const Solve& solve) {
  blas::Reals inverse;
  for (const double factor : scale) inverse.push_back(1.0 / factor);
  SpinorField<T> scaled = blas::clone(b);
  blas::scale(scaled, scale);
  for (SpinorField<T>& x_s : x) blas::scale(x_s, scale);
  auto result = solve(scaled);
  for (SpinorField<T>& x_s : x) blas::scale(x_s, inverse);
  return result;
}

/// The smallest |b|^2 of which double holds the squares of residuals.
constexpr double least_norm2 = 1e-280;

/// Scales that the lengths of right-hand sides b require.
struct SourceLengths {
  /// Double holds |b|^2 of all, and those of residuals 1e-14 times as long. It does for |b| from 1e-140 to 1e140.
  bool in_range = true;
  blas::Reals scale;              ///< powers of two that bring those beyond to a length near one, and 1 for others
  std::vector<std::size_t> zero;  ///< indices of the right-hand sides that are zero
};
template <class T>
SourceLengths source_lengths(const SpinorField<T>& b);

/// Reports, on the first process, which right-hand sides are zero.
void tell_zeros(const Lattice& lattice, const SourceLengths& lengths);

/// Solves M (s x) = s b with `solver` to s times the targets, if iterations in a precision S below T need such a
/// scale; else returns no value. `float` cannot represent the residual of a source of 1e-25 at the end of a solve.
template <class T, class S>
std::optional<SolveResult> solve_scaled(const Solver<T>& solver, SpinorField<T>& x, const SpinorField<T>& b,
                                        const Targets& targets, const SolveRequest& request) {
  if constexpr (std::is_same_v<T, S>) {
    return std::nullopt;
  } else {
    std::vector<double> lengths = targets.source_norm;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      if (!targets.active[k]) lengths[k] = 1.0;
    }
    const std::optional<blas::Reals> scale = source_scale(lengths);
    if (!scale) return std::nullopt;
    SolveRequest of_scaled = request;
    for (std::size_t k = 0; k < of_scaled.residual_norms.size(); ++k) of_scaled.residual_norms[k] *= (*scale)[k];
    return solve_with_scale(std::span(&x, 1), b, *scale,
                            [&](const SpinorField<T>& scaled) { return solver.solve(x, scaled, of_scaled); });
  }
}

}  // namespace kaon::detail
