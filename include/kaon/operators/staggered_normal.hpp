// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/staggered_like.hpp>

namespace kaon {

namespace detail {

/// An estimate R of |x - M^-1 b| / |b - M x| for staggered quarks, from that of the normal system N = 4 m^2 - D^2 on a
/// parity, R_N: e_q = -D e_p / (2m) yields |e|^2 = <e_p, r_p> / (4 m^2) <= R_N |r_p|^2 / (4 m^2), where b - M x is
/// r_p / (2m). This also holds for x = M^dag y, N y = b, where r is that of y. |M e| >= 2m |e| is a bound, which alone
/// remains where R_N = 0, unknown.
double staggered_error_per_residual(double of_normal_system, double mass);

}  // namespace detail

/// The normal operator of staggered fermions on one parity p, N = 4m^2 - D_pq D_qp: M^dag M joins sites of one parity
/// only, so that N x_p = (M^dag b)_p and x_q = (b_q - D_qp x_p) / (2m). Hermitian and positive: for conjugate
/// gradients, and with a mass of zero the base of shifted systems. The last step divides by the mass, and with it the
/// residual of N may grow by 1/(2m). Two hops, the second with x: 1152 flops for naive fermions, 2304 for improved
/// ones.
template <class T>
class StaggeredNormal final : public EvenOddSystem<T>, public Adjointable<T>, public Counted {
 public:
  /// Borrows `full`, or owns it if it is a temporary: see `Ref`.
  explicit StaggeredNormal(Ref<StaggeredLike<T>> full, Parity parity = Parity::even);

  const EvenOddOperator<T>& full() const override { return *full_; }
  Parity parity() const override { return parity_; }
  /// source_p = 2m b_p - D_pq b_q
  void prepare(SpinorField<T>& source, const SpinorField<T>& b) const override;
  /// x_q = (b_q - D_qp x_p) / (2m). Throws `Error` where the mass is zero.
  void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const override;
  /// r / (2m)
  void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const override;
  double full_error_per_residual(double error_per_residual, double scale) const override;

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  const Lattice& lattice() const override { return full_->lattice(); }
  SpinorParameters domain() const override;
  double flops() const override;
  double bytes() const override;

 private:
  /// `reduced` may be null.
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
             blas::PendingReductions* reduced) const;
  SpinorField<T>& scratch(int right_hand_sides) const;

  Ref<StaggeredLike<T>> full_;
  Parity parity_;
  mutable detail::KeptFields<T> scratch_;
};

extern template class StaggeredNormal<double>;
extern template class StaggeredNormal<float>;
extern template class StaggeredNormal<half>;

}  // namespace kaon
