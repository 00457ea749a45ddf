// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <kaon/core/kept_fields.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace kaon::detail {

/// How `BestSolution` has changed an x.
enum class Restored {
  nothing,  ///< the x that was last seen is the best
  zero,     ///< x is zero now
  earlier   ///< x is one that was seen before
};

/// For each right-hand side the x with the least |b - M x| that has been computed, or zero, whose residual is b; and an
/// estimate of |x - M^-1 b| from the steps between such x.
///
/// A step d of x, in which r = b - M x falls from r_1 to r_2, is the error before it less the error after it. With one
/// ratio R = |error| / |r| at both ends, R <= |d| / (|r_1| - |r_2|). R grows as the modes go that M has large, so that
/// the largest one counts.
template <class T>
class BestSolution {
 public:
  explicit BestSolution(const Targets& targets)
      : target_(targets.residual_norm),
        norm_(targets.source_norm),
        best_norm_(norm_),
        first_norm_(norm_),
        error_per_residual_(norm_.size(), 0.0),
        error_at_least_(norm_.size(), true),
        zero_is_best_(norm_.size(), true) {}

  /// Sets the first |b - M x| of a solve for right-hand side k.
  void begin(std::size_t k, double norm) { first_norm_[k] = std::min(first_norm_[k], norm); }
  /// Records |b - M x| of right-hand sides first, first + 1, ... of x. Copies each x of a wanted right-hand side that
  /// is better than all earlier ones, except a first x that has reached the target.
  void see(const SpinorField<T>& x, int first, std::span<const double> norm, const std::vector<bool>& wanted);
  /// Records the length of a step of x of right-hand side k, in which |b - M x| fell from `before` to `after`.
  void take_step(std::size_t k, double step, double before, double after);
  /// Sets x of right-hand side k to the best.
  Restored restore(SpinorField<T>& x, std::size_t k);
  /// |b - M x| of the x that was last seen or restored.
  double norm(std::size_t k) const { return norm_[k]; }
  /// The largest R of all steps, times a margin; 0 before the first step.
  double error_per_residual(std::size_t k) const { return step_margin * error_per_residual_[k]; }
  /// True if every step started above `settled_part` of the first residual: R may have grown since.
  bool error_at_least(std::size_t k) const { return error_at_least_[k]; }
  /// Whether |b - M x| has fallen to `settled_part` of the first one.
  bool has_fallen(std::size_t k) const { return norm_[k] <= settled_part * first_norm_[k]; }

 private:
  /// Errors were up to 2.2 times the largest R |r|: docs/precision.md, "The error of the answer".
  static constexpr double step_margin = 5.0;

  /// Replaces the stored x of right-hand sides [first, first + count), or zero, by `x`; returns |difference|^2.
  blas::Reals replace(int first, int count, const SpinorField<T>& x, bool zero);
  void take(std::size_t k, double step2);

  std::vector<double> target_, norm_, best_norm_, first_norm_, error_per_residual_;
  std::vector<bool> error_at_least_, zero_is_best_;
  std::optional<Temporaries<T>> kept_;  // the best solution, if it was copied
};

}  // namespace kaon::detail
