// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/temporaries.hpp"
#include "solvers/targets.hpp"

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

/// For each right-hand side the x with the least |b - M x| that has been computed, or zero, whose residual is b.
template <class T>
class BestSolution {
 public:
  explicit BestSolution(const Targets& targets)
      : target_(targets.residual_norm),
        norm_(targets.source_norm),
        best_norm_(norm_),
        zero_is_best_(norm_.size(), true) {}

  /// Takes in |b - M x| of right-hand sides first, first + 1, ... of x. Copies the x that are better than all before
  /// and may be needed again: those of right-hand sides that are active and have not reached their target.
  void see(const SpinorField<T>& x, int first, std::span<const double> norm, const std::vector<bool>& active);
  /// Sets x of right-hand side k to the best.
  Restored restore(SpinorField<T>& x, std::size_t k);
  /// |b - M x| of the x that was last seen or restored.
  double norm(std::size_t k) const { return norm_[k]; }

 private:
  std::vector<double> target_;
  std::vector<double> norm_, best_norm_;
  std::vector<bool> zero_is_best_;
  std::optional<Temporaries<T>> kept_;  // the best, where it was copied
};

extern template class BestSolution<double>;
extern template class BestSolution<float>;
extern template class BestSolution<half>;

}  // namespace kaon::detail
