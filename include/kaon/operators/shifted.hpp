// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/operators/linear_operator.hpp>

namespace kaon {

/// A + sigma, sigma real.
template <class T>
class Shifted final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  /// Borrows `matrix`, A, or owns it if it is a temporary: see `Ref`. Throws `Error` for a shift that is no number.
  Shifted(Ref<LinearOperator<T>> matrix, double shift);

  double shift() const { return shift_; }

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  /// Throws `Error` where A has no adjoint.
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override;
  /// Without a shift as A does, beside y.
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  const Lattice& lattice() const override { return matrix_->lattice(); }
  SpinorParameters domain() const override { return matrix_->domain(); }
  double flops() const override;
  double bytes() const override { return bytes_of(*matrix_); }

 private:
  /// out = out + sigma in
  void add_shift(SpinorField<T>& out, const SpinorField<T>& in) const;

  Ref<LinearOperator<T>> matrix_;
  double shift_;
};

extern template class Shifted<double>;
extern template class Shifted<float>;
extern template class Shifted<half>;

}  // namespace kaon
