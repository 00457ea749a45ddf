// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/operators/normal.hpp>

namespace kaon {

template <class T>
NormalOperator<T>::NormalOperator(const LinearOperator<T>& factor, NormalForm form) : factor_(factor), form_(form) {}

template <class T>
void NormalOperator<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  if (scratch_.empty() || scratch_.front().right_hand_sides() != in.right_hand_sides()) {
    scratch_.clear();
    scratch_.push_back(this->make_field(in.right_hand_sides()));
  }
  SpinorField<T>& between = scratch_.front();
  if (form_ == NormalForm::residual) {
    factor_.apply(between, in);
    factor_.apply_dagger(out, between);
  } else {
    factor_.apply_dagger(between, in);
    factor_.apply(out, between);
  }
}

template class NormalOperator<double>;
template class NormalOperator<float>;
template class NormalOperator<half>;

}  // namespace kaon
