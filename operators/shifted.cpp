// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/shifted.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon {

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
  blas::axpy(out, in, blas::Reals(static_cast<std::size_t>(in.right_hand_sides()), shift_));
}

template class Shifted<double>;
template class Shifted<float>;
template class Shifted<half>;

}  // namespace kaon
