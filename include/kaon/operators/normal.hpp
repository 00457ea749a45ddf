// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/operators/linear_operator.hpp>

namespace kaon {

/// Which Hermitian positive operator is made of M.
enum class NormalForm {
  residual,  ///< M^dag M, for CGNR
  error      ///< M M^dag, for CGNE
};

/// N = M^dag M or M M^dag: Hermitian, and positive where M has no zero mode.
template <class T>
class NormalOperator final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  /// Borrows `factor`, M, or owns it if it is a temporary: see `Ref`. Throws `Error` for an
  /// operator without an adjoint.
  explicit NormalOperator(Ref<LinearOperator<T>> factor, NormalForm form = NormalForm::residual);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }
  /// <N x, x> is used as |M x|^2 or |M^dag x|^2.
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  const Lattice& lattice() const override { return factor_->lattice(); }
  SpinorParameters domain() const override { return factor_->domain(); }
  double flops() const override { return 2 * flops_of(*factor_); }
  double bytes() const override { return 2 * bytes_of(*factor_); }

 private:
  SpinorField<T>& between(int right_hand_sides) const;
  void apply_factor(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const;

  Ref<LinearOperator<T>> factor_;
  const Adjointable<T>* adjoint_;  // of the same object
  NormalForm form_;
  mutable detail::KeptFields<T> between_;  // one
};

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

}  // namespace kaon
