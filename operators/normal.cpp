// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/pending_reductions.hpp"

#include <kaon/operators/normal.hpp>

#include <utility>

namespace kaon {

template <class T>
NormalOperator<T>::NormalOperator(Ref<LinearOperator<T>> factor, NormalForm form)
    : factor_(std::move(factor)), form_(form) {}

template <class T>
SpinorField<T>& NormalOperator<T>::between(int right_hand_sides) const {
  if (scratch_.empty() || scratch_.front().right_hand_sides() != right_hand_sides) {
    scratch_.clear();
    scratch_.push_back(this->make_field(right_hand_sides));
  }
  return scratch_.front();
}

template <class T>
void NormalOperator<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  SpinorField<T>& between = this->between(in.right_hand_sides());
  if (form_ == NormalForm::residual) {
    factor_->apply(between, in);
  } else {
    factor_->apply_dagger(between, in);
  }
  apply_second(out, between);
}

template <class T>
blas::PendingReductions NormalOperator<T>::apply_first(SpinorField<T>& between, const SpinorField<T>& in,
                                                       const blas::Reductions<T>& reductions) const {
  if (form_ == NormalForm::residual) return factor_->apply_and_reduce(between, in, reductions);
  return factor_->apply_dagger_and_reduce(between, in, reductions);
}

template <class T>
void NormalOperator<T>::apply_second(SpinorField<T>& out, const SpinorField<T>& between) const {
  if (form_ == NormalForm::residual) {
    factor_->apply_dagger(out, between);
  } else {
    factor_->apply(out, between);
  }
}

template <class T>
blas::PendingReductions NormalOperator<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                            const blas::Reductions<T>& reductions) const {
  SpinorField<T>& between = this->between(x.right_hand_sides());
  blas::PendingReductions of_first = apply_first(between, x, {.x = reductions.x});
  if (reductions.x && !reductions.norm && reductions.w == nullptr) {
    // Those of the first factor are all: the second is enqueued before anybody waits for them.
    apply_second(y, between);
    of_first.state().read_norm_as_y_x();
    return of_first;
  }
  blas::PendingReductions of_second = form_ == NormalForm::residual
                                          ? factor_->apply_dagger_and_reduce(y, between, {.w = reductions.w})
                                          : factor_->apply_and_reduce(y, between, {.w = reductions.w});
  blas::Products products = of_second.wait();
  if (reductions.x) {
    const blas::Products& first = of_first.wait();
    products.x_norm2 = first.x_norm2;
    products.y_x.assign(first.y_norm2.begin(), first.y_norm2.end());
    if (reductions.w != nullptr) products.w_x = blas::inner_product(*reductions.w, x);
  }
  return blas::PendingReductions(std::move(products));
}

template class NormalOperator<double>;
template class NormalOperator<float>;
template class NormalOperator<half>;

}  // namespace kaon
