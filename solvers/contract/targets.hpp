// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_checks.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

namespace kaon::detail {

inline bool is_finite(double value) { return std::isfinite(value); }
inline bool is_finite(const std::complex<double>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Part of the first |b - M x| below which |x - M^-1 b| / |b - M x| has grown to about its last value: before, the
/// modes are removed that M has large. Measured, docs/precision.md.
inline constexpr double settled_part = 0.01;

/// Tolerance of solves that are timed for a number of iterations: heavy quarks may reach it. Below it, numbers in
/// single precision are denormal, which slows hosts down.
inline constexpr double timing_tolerance = 1e-20;

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

/// Throws `Error` unless x are as many fields as there are `systems` ("shifts"), each of its own and none of them b.
template <class T>
void require_own_fields(std::span<SpinorField<T>> x, const SpinorField<T>& b, std::size_t count, const char* systems) {
  require(x.size() == count, [&] { return fmt::format("{} fields were given for {} {}", x.size(), count, systems); });
  for (std::size_t s = 0; s < count; ++s) {
    require(!overlap(x[s], b), "x and b of a solve must be two fields: b is needed to the end");
    for (std::size_t other = 0; other < s; ++other) {
      require(!overlap(x[s], x[other]), [&] {
        return fmt::format("solutions {} and {} share numbers: give each of the {} a field of its own", other, s,
                           systems);
      });
    }
  }
}

/// |r| of each right-hand side.
inline blas::Reals norms(blas::Reals norm2) {
  for (double& value : norm2) value = std::sqrt(value);
  return norm2;
}

/// The state of one right-hand side during a solve.
struct RightHandSide {
  double source_norm = 1.0;    ///< |b|; 1 where b is zero
  double residual_norm = 0.0;  ///< |b - M x| that is small enough
  double first_norm = 1.0;     ///< |b - M x| of the first x, |b| at most
  bool wanted = true;          ///< false: x is not changed
  int allowed_iterations = std::numeric_limits<int>::max();
  bool active = true;                                                ///< iterations continue
  bool held = false;                                                 ///< continues below its target
  bool restart = false;                                              ///< after a fresh start from the true residual
  double last_true_norm = std::numeric_limits<double>::infinity();   ///< at the last useful update or check at the end
  double last_taken_norm = std::numeric_limits<double>::infinity();  ///< of methods that recompute r
  SolveResult::RightHandSide result{};

  /// |r| below which the steps of x are used for the estimate of its error: an iteration of BiCGstab may lower |r| by a
  /// factor of ten.
  double near_target() const { return std::min(100.0 * residual_norm, settled_part * first_norm); }
  /// |r| at which iterations end.
  double goal() const { return held ? 0.0 : residual_norm; }
  bool runs() const { return active && !restart; }
  bool out_of_iterations() const { return result.iterations >= allowed_iterations; }
  /// |r| of the recurrence after its last iteration.
  double iterated_norm() const { return result.iterated_residual * source_norm; }
  void set_iterated_norm(double norm) { result.iterated_residual = norm / source_norm; }
  void set_true_norm(double norm) { result.true_residual = norm / source_norm; }
  void stop(SolveStatus status) {
    active = restart = false;
    result.status = status;
  }
};

}  // namespace kaon::detail
