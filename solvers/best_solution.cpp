// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/best_solution.hpp"

namespace kaon::detail {

template <class T>
void BestSolution<T>::see(const SpinorField<T>& x, int first, std::span<const double> norm,
                          const std::vector<bool>& active) {
  std::vector<std::size_t> better;
  bool none_is_worse = true;
  for (std::size_t j = 0; j < norm.size(); ++j) {
    const std::size_t k = static_cast<std::size_t>(first) + j;
    norm_[k] = norm[j];
    if (!(norm[j] <= best_norm_[k])) none_is_worse = false;
    if (!active[k] || !(norm[j] < best_norm_[k]) || norm[j] <= target_[k]) continue;
    better.push_back(k);
    best_norm_[k] = norm[j];
    zero_is_best_[k] = false;
  }
  if (better.empty()) return;
  if (!kept_) kept_.emplace(x.lattice(), x.parameters(), 1);
  if (none_is_worse) {
    const int count = static_cast<int>(norm.size());
    SpinorField<T> kept = (*kept_)[0].range(first, count);
    return blas::copy(kept, x.range(first, count));
  }
  for (const std::size_t k : better) {
    SpinorField<T> kept = (*kept_)[0].right_hand_side(k);
    blas::copy(kept, x.right_hand_side(k));
  }
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
