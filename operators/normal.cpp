// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/pending_reductions.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/normal.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {

template <class T>
NormalOperator<T>::NormalOperator(Ref<LinearOperator<T>> factor, NormalForm form)
    : factor_(std::move(factor)), adjoint_(&adjointable(*factor_)), form_(form) {}

template <class T>
SpinorField<T>& NormalOperator<T>::between(int right_hand_sides) const {
  return this->keep_fields(between_, 1, right_hand_sides)[0];
}

template <class T>
void NormalOperator<T>::apply_factor(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const {
  if (dagger) {
    adjoint_->apply_dagger(out, in);
  } else {
    factor_->apply(out, in);
  }
}

template <class T>
void NormalOperator<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  SpinorField<T>& between = this->between(in.right_hand_sides());
  const bool dagger_first = form_ == NormalForm::error;
  apply_factor(between, in, dagger_first);
  apply_factor(out, between, !dagger_first);
}

template <class T>
blas::PendingReductions NormalOperator<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                            const blas::Reductions<T>& reductions) const {
  SpinorField<T>& between = this->between(x.right_hand_sides());
  const bool dagger_first = form_ == NormalForm::error;
  const auto reduce = [&](SpinorField<T>& out, const SpinorField<T>& in, bool dagger,
                          const blas::Reductions<T>& which) {
    return dagger ? adjoint_->apply_dagger_and_reduce(out, in, which) : factor_->apply_and_reduce(out, in, which);
  };
  if (!reductions.x) {
    apply_factor(between, x, dagger_first);
    return reduce(y, between, !dagger_first, reductions);
  }
  blas::PendingReductions of_first = reduce(between, x, dagger_first, {.x = true});
  if (!reductions.norm && reductions.w == nullptr) {
    // The first factor's reductions are all: the second factor is enqueued before the host waits for them.
    apply_factor(y, between, !dagger_first);
    of_first.state().read_norm_as_y_x();
    return of_first;
  }
  blas::PendingReductions of_second = reduce(y, between, !dagger_first, {.w = reductions.w});
  const blas::Products& first = of_first.wait();
  blas::Products products = of_second.wait();
  products.x_norm2 = first.x_norm2;
  products.y_x.assign(first.y_norm2.begin(), first.y_norm2.end());
  if (reductions.w != nullptr) products.w_x = blas::inner_product(*reductions.w, x);
  return blas::PendingReductions(std::move(products));
}

template <class T>
Shifted<T>::Shifted(Ref<LinearOperator<T>> matrix, double shift) : matrix_(std::move(matrix)), shift_(shift) {
  require(std::isfinite(shift),
          [&] { return fmt::format("the shift of an operator must be a number, got {}", shift); });
}

template <class T>
void Shifted<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  matrix_->apply(out, in);
  add_shift(out, in);
}

template <class T>
void Shifted<T>::apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const {
  adjointable(*matrix_).apply_dagger(out, in);
  add_shift(out, in);
}

template <class T>
blas::PendingReductions Shifted<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                     const blas::Reductions<T>& reductions) const {
  if (shift_ == 0.0) return matrix_->apply_and_reduce(y, x, reductions);
  return LinearOperator<T>::apply_and_reduce(y, x, reductions);
}

template <class T>
double Shifted<T>::flops() const {
  const SpinorParameters shape = domain();
  const double sites = static_cast<double>(lattice().volume()) * (shape.subset == Subset::full ? 1.0 : 0.5);
  return flops_of(*matrix_) + (shift_ == 0.0 ? 0.0 : 4.0 * sites * shape.components_of_all_slices());
}

template <class T>
void Shifted<T>::add_shift(SpinorField<T>& out, const SpinorField<T>& in) const {
  if (shift_ == 0.0) return;
  blas::axpy(out, in, shift_);
}

template class NormalOperator<double>;
template class NormalOperator<float>;
template class NormalOperator<half>;
template class Shifted<double>;
template class Shifted<float>;
template class Shifted<half>;

}  // namespace kaon
