// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/best_solution.hpp"

#include <algorithm>
#include <cmath>

namespace kaon::detail {
namespace {

/// A step in which |b - M x| falls less says little of |x - M^-1 b|: much of that is still there afterwards.
constexpr double least_fall = 0.5;

}  // namespace

template <class T>
void BestSolution<T>::see(const SpinorField<T>& x, int first, std::span<const double> norm,
                          const std::vector<bool>& wanted) {
  std::vector<std::size_t> better;
  bool none_is_worse = true, none_is_zero = true;
  for (std::size_t j = 0; j < norm.size(); ++j) {
    const std::size_t k = static_cast<std::size_t>(first) + j;
    norm_[k] = norm[j];
    none_is_worse = none_is_worse && norm[j] <= best_norm_[k];
    none_is_zero = none_is_zero && !zero_is_best_[k];
    const bool ends_at_once = zero_is_best_[k] && norm[j] <= target_[k];  // nothing to go back to, and no step
    if (wanted[k] && norm[j] < best_norm_[k] && !ends_at_once) better.push_back(k);
  }
  if (better.empty()) return;
  if (!kept_) kept_.emplace(x.lattice(), x.parameters(), 1);
  if (none_is_worse && none_is_zero) {
    const blas::Reals step2 = replace(first, static_cast<int>(norm.size()), x, false);
    for (const std::size_t k : better) take(k, step2[k - static_cast<std::size_t>(first)]);
  } else {
    for (const std::size_t k : better) take(k, replace(static_cast<int>(k), 1, x, zero_is_best_[k])[0]);
  }
}

template <class T>
blas::Reals BestSolution<T>::replace(int first, int count, const SpinorField<T>& x, bool zero) {
  SpinorField<T> kept = (*kept_)[0].range(first, count);
  const SpinorField<T> now = x.range(first, count);
  blas::Reals step2 = zero ? blas::norm2(now) : blas::xmy_norm2(kept, now);
  blas::copy(kept, now);
  return step2;
}

template <class T>
void BestSolution<T>::take(std::size_t k, double step2) {
  take_step(k, std::sqrt(step2), best_norm_[k], norm_[k]);
  best_norm_[k] = norm_[k];
  zero_is_best_[k] = false;
}

template <class T>
void BestSolution<T>::take_step(std::size_t k, double step, double before, double after) {
  if (after > least_fall * before) return;
  error_per_residual_[k] = std::max(error_per_residual_[k], step / (before - after));
  if (before <= settled_part * first_norm_[k]) error_at_least_[k] = false;
}

template <class T>
Restored BestSolution<T>::restore(SpinorField<T>& x, std::size_t k) {
  if (norm_[k] <= best_norm_[k]) return Restored::nothing;
  norm_[k] = best_norm_[k];
  SpinorField<T> x_k = x.right_hand_side(k);
  if (zero_is_best_[k]) {
    blas::set_zero(x_k);
    return Restored::zero;
  }
  blas::copy(x_k, (*kept_)[0].right_hand_side(k));
  return Restored::earlier;
}

template class BestSolution<double>;
template class BestSolution<float>;
template class BestSolution<half>;

}  // namespace kaon::detail
