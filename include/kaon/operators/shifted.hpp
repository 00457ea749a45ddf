// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/linear_operator.hpp>

namespace kaon {

/// A + sigma, sigma real.
template <class T>
class Shifted final : public LinearOperator<T> {
 public:
  /// Refers to `matrix`, A, which must outlive it. Throws `Error` for a shift that is no number.
  Shifted(const LinearOperator<T>& matrix, double shift);

  double shift() const { return shift_; }

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }
  double flops() const override;
  double bytes() const override { return matrix_.bytes(); }

 private:
  /// out = out + sigma in
  void add_shift(SpinorField<T>& out, const SpinorField<T>& in) const;

  const LinearOperator<T>& matrix_;
  double shift_;
};

extern template class Shifted<double>;
extern template class Shifted<float>;

}  // namespace kaon
