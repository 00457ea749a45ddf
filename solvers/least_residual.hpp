// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/operators/even_odd_system.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kaon::detail {

/// The x whose |b - M x| on all sites is the least that has been computed, or zero: not always the one whose residual
/// on one parity is.
template <class T>
class LeastResidual {
 public:
  /// For zero, `norm` is |b|.
  LeastResidual(const EvenOddSystem<T>& system, std::span<const double> norm)
      : system_(system), norm_(norm.begin(), norm.end()), zero_(norm.size(), true), now_(norm.size(), false) {}

  /// Takes in |b - M x| of right-hand side k.
  void see(std::size_t k, double norm) {
    now_[k] = norm <= norm_[k];
    if (!now_[k]) return;
    norm_[k] = norm;
    zero_[k] = false;
  }
  /// To be called before x changes.
  void keep(const SpinorField<T>& x) {
    if (!kept_) kept_.emplace(system_.make_field(x.right_hand_sides()));
    for (std::size_t k = 0; k < now_.size(); ++k) {
      SpinorField<T> kept = kept_->right_hand_side(k);
      if (now_[k]) blas::copy(kept, x.right_hand_side(k).parity(system_.parity()));
    }
  }
  /// Sets x of right-hand side k to the best, and returns its |b - M x|.
  double restore(std::size_t k, SpinorField<T>& x, const SpinorField<T>& b) const {
    SpinorField<T> x_k = x.right_hand_side(k);
    if (zero_[k]) {
      blas::set_zero(x_k);
    } else if (!now_[k]) {
      SpinorField<T> x_p = x_k.parity(system_.parity());
      blas::copy(x_p, kept_->right_hand_side(k));
      system_.reconstruct(x_k, b.right_hand_side(k));
    }
    return norm_[k];
  }

 private:
  const EvenOddSystem<T>& system_;
  std::vector<double> norm_;
  std::vector<bool> zero_, now_;        // the best is zero, is the x that was last seen
  std::optional<SpinorField<T>> kept_;  // the best on one parity, where it is neither
};

}  // namespace kaon::detail
