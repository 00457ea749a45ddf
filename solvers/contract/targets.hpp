// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <cmath>
#include <complex>
#include <vector>

namespace kaon::detail {

inline bool is_finite(double value) { return std::isfinite(value); }
inline bool is_finite(const std::complex<double>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Part of the first |b - M x| below which |x - M^-1 b| / |b - M x| has grown to about its last value: before, the
/// modes are removed that M has large. Measured, docs/precision.md.
inline constexpr double settled_part = 0.01;

/// The aims of a solve, for every right-hand side.
struct Targets {
  std::vector<double> source_norm;    ///< |b|; 1 where b is zero, to divide by
  std::vector<double> residual_norm;  ///< |b - M x| that is small enough
  std::vector<bool> active;           ///< false: x is not changed
};

/// |b|^2 of each right-hand side. Throws `Error` for one that is not finite.
template <class T>
blas::Reals finite_norm2(const SpinorField<T>& b);

/// The norms of `request`, or `tolerance` * |b| without them. Sets x to zero if b is zero, unless x is inactive.
/// Throws `Error` for a right-hand side that is not finite, for lists of another length and negative norms, and for x
/// that is b.
template <class T>
Targets make_targets(SpinorField<T>& x, const SpinorField<T>& b, double tolerance, const SolveRequest& request);

/// |r| of each right-hand side.
inline blas::Reals norms(blas::Reals norm2) {
  for (double& value : norm2) value = std::sqrt(value);
  return norm2;
}

}  // namespace kaon::detail
