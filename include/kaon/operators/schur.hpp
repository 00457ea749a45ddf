// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

namespace kaon {

/// Which Schur complement of M = A - K; p is the parity solved for, q the other.
enum class SchurForm {
  symmetric,  ///< S = 1 - A_p^-1 K_pq A_q^-1 K_qp
  asymmetric  ///< S = A_p - K_pq A_q^-1 K_qp
};

struct SchurParameters {
  SchurForm form = SchurForm::symmetric;
  Parity parity = Parity::even;  ///< p
};

/// Even-odd preconditioning: the Schur complement of an even-odd operator, on one parity (DeGrand 1988).
///
/// M x = b is the same as S x_p = `prepare(b)` and x_q = A_q^-1 (b_q + K_qp x_p), which `reconstruct` computes.
template <class T>
class Schur final : public EvenOddSystem<T>, public Adjointable<T>, public Counted {
 public:
  /// Borrows `full`, or owns it if it is a temporary: see `Ref`.
  explicit Schur(Ref<EvenOddOperator<T>> full, const SchurParameters& parameters = {});

  const EvenOddOperator<T>& full() const override { return *full_; }
  Parity parity() const override { return parameters_.parity; }
  const SchurParameters& parameters() const { return parameters_; }

  /// source_p = b_p + K_pq A_q^-1 b_q (asymmetric), A_p^-1 of that (symmetric). `b` is on all sites.
  void prepare(SpinorField<T>& source, const SpinorField<T>& b) const override;
  /// x_q = A_q^-1 (b_q + K_qp x_p) for `x` on all sites whose parity p holds the solution; x_p does not change.
  void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const override;
  /// A_p r (symmetric), r (asymmetric)
  void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const override;

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in, {}, nullptr); }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override {
    apply_dagger(out, in, {}, nullptr);
  }
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  blas::PendingReductions apply_dagger_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                  const blas::Reductions<T>& reductions) const override;
  double flops() const override;
  double bytes() const override;

 private:
  /// The site term of the second hop.
  SiteTerm second_term() const;
  /// A field on the other parity, cached from call to call.
  SpinorField<T>& scratch(Parity parity, int right_hand_sides) const;
  /// `reduced` may be null.
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
             blas::PendingReductions* reduced) const;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
                    blas::PendingReductions* reduced) const;

  Ref<EvenOddOperator<T>> full_;
  SchurParameters parameters_;
  mutable detail::KeptFields<T> scratch_[2];  // by parity
};

}  // namespace kaon
