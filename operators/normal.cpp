// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/at_once.hpp"

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
    factor_->apply_dagger(out, between);
  } else {
    factor_->apply_dagger(between, in);
    factor_->apply(out, between);
  }
}

template <class T>
blas::Products NormalOperator<T>::apply_with_products(SpinorField<T>& y, const SpinorField<T>& x,
                                                      const blas::ProductsWanted<T>& wanted) const {
  SpinorField<T>& between = this->between(x.right_hand_sides());
  blas::Products first, products;
  const bool of_x_alone = !wanted.y_norm2 && wanted.w == nullptr;
  const auto finish = [&] {
    if (form_ == NormalForm::residual) {
      factor_->apply_dagger(y, between);
    } else {
      factor_->apply(y, between);
    }
  };
  // The second factor need not wait until the host has seen the products of the first.
  detail::AtOnce second{.enqueue = [&](detail::PartsOfSums& parts) {
    parts.add(detail::NoRule{});
    finish();
  }};
  const blas::ProductsWanted<T> of_first{.with_x = wanted.with_x, .at_once = of_x_alone ? &second : nullptr};
  const blas::ProductsWanted<T> of_y{.w = wanted.w};
  if (form_ == NormalForm::residual) {
    first = factor_->apply_with_products(between, x, of_first);
    if (!of_x_alone) products = factor_->apply_dagger_with_products(y, between, of_y);
  } else {
    first = factor_->apply_dagger_with_products(between, x, of_first);
    if (!of_x_alone) products = factor_->apply_with_products(y, between, of_y);
  }
  if (of_x_alone && !second.called()) finish();
  if (!wanted.with_x) return products;
  products.x_norm2 = first.x_norm2;
  products.y_x.assign(first.y_norm2.begin(), first.y_norm2.end());
  if (wanted.w != nullptr) products.w_x = blas::inner_product(*wanted.w, x);
  return products;
}

template class NormalOperator<double>;
template class NormalOperator<float>;
template class NormalOperator<half>;

}  // namespace kaon
