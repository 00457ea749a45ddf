// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <memory>

namespace kaon::detail {

/// The system of a coarse lattice of one parity, whose hops connect sites of equal parity: S = 1 - A^-1 K on all sites,
/// with source A^-1 b.
template <class T>
class WholeSystem final : public EvenOddSystem<T>, public Counted {
 public:
  /// Throws `Error` on lattices of two parities.
  explicit WholeSystem(Ref<EvenOddOperator<T>> full);

  const EvenOddOperator<T>& full() const override { return *full_; }
  Parity parity() const override { return Parity::even; }
  void prepare(SpinorField<T>& source, const SpinorField<T>& b) const override;
  void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const override;
  void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const override;

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  const Lattice& lattice() const override { return full_->lattice(); }
  SpinorParameters domain() const override;
  double flops() const override { return hop_flops_of(*full_, SiteTerm::inverse, true); }
  double bytes() const override { return hop_bytes_of(*full_, SiteTerm::inverse, true); }

 private:
  Ref<EvenOddOperator<T>> full_;
};

extern template class WholeSystem<double>;
extern template class WholeSystem<float>;

/// The even-odd system of a level: the symmetric Schur complement on even sites, or the `WholeSystem` on a lattice of
/// one parity.
template <class T>
std::unique_ptr<EvenOddSystem<T>> make_system(const Ref<EvenOddOperator<T>>& full);

}  // namespace kaon::detail
