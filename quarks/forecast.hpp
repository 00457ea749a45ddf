// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quarks/solve_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kaon::detail {

/// Predicts how many iterations a Krylov solve needs, from its residuals so far.
///
/// The residual falls at once by one or two orders of magnitude, for every mass, then slowly, and at the end about as
/// fast as on average. If n iterations, 16 or more, have reduced log |r| by a part f of what is needed in all,
/// (n + 32) / f is 0.3 to 1.6 of the iterations that BiCGstab needs (docs/measurements/solvers/solver_choice.json).
/// The average of the right-hand sides counts, since single ones vary.
class Forecast {
 public:
  /// `targets`: |b - M x| / |b| that is small enough, 0 for a right-hand side that is not active.
  explicit Forecast(std::vector<double> targets) : targets_(std::move(targets)) {}

  /// Records the relative residuals after an iteration.
  void see(std::span<const double> residuals) {
    const double left = left_at(residuals);
    if (iterations_++ == 0) first_ = left + fall_of_first;
    least_ = iterations_ == 1 ? left : std::min(least_, left);
    if (iterations_ == early_iterations) early_fall_ = static_cast<int>(std::lround(first_ - least_));
  }

  int iterations() const { return iterations_; }
  /// Returns log2 of the fall of the residual after the iterations by which records are recognised.
  int early_fall() const { return early_fall_; }
  /// Returns the part of the orders of magnitude that is left.
  double part_left() const { return part(least_); }
  /// Returns the part that is left at true residuals: those of a recurrence in 16 bits can be far smaller.
  double part_left_at(std::span<const double> residuals) const { return part(left_at(residuals)); }
  /// Returns the predicted iterations of the whole solve, 0 as long as no prediction is possible.
  double needed() const {
    return iterations_ < first_look ? 0.0 : (iterations_ + slow_start) * first_ / (first_ - least_);
  }

 private:
  /// log2 of residual over target, on average.
  double left_at(std::span<const double> residuals) const {
    double sum = 0.0;
    int active = 0;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      if (targets_[k] == 0.0) continue;
      sum += std::max(0.0, std::log2(residuals[k] / targets_[k]));
      ++active;
    }
    return sum / std::max(1, active);
  }
  double part(double left) const { return first_ > 0.0 ? std::clamp(left / first_, 0.0, 1.0) : 0.0; }

  static constexpr int first_look = 16;
  static constexpr double fall_of_first = 2.3;  // log2, in the first iteration: residuals may rise afterwards
  static constexpr int slow_start = 32;         // iterations

  std::vector<double> targets_;
  int iterations_ = 0, early_fall_ = 0;
  double first_ = 0.0, least_ = 0.0;  // of left_at
};

}  // namespace kaon::detail
