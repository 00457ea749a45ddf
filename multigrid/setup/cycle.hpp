// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/transfer.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <optional>

namespace kaon::detail {

/// The next level, as seen from the one above it.
template <class T>
struct CoarseCorrection {
  const Transfer<T>& transfer;
  const EvenOddSystem<T>& system;   ///< of the next level
  const LinearOperator<T>& solver;  ///< an approximation of the inverse of that system
};

/// z = an approximation of S^-1 r for the system S of one level (docs/conventions.md, "Multigrid"): the correction of
/// the next level, then the smoother on the remaining residual.
///
///   b = R_p A_p r,  c = approximate D_c^-1 b,  z = P_p c,  z = z + smoother(r - S z)
///
/// The cycle is linear if the solver and the smoother are. The host waits only if the last level is solved by
/// iterations or on several processes, or if kernels cannot sum all right-hand sides at once.
template <class T>
class Cycle final : public LinearOperator<T>, public Counted {
 public:
  /// Borrows `system` and what `correction` refers to.
  Cycle(const EvenOddSystem<T>& system, const CoarseCorrection<T>& correction, Ref<LinearOperator<T>> smoother);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  /// Computes z = P_p c of the formula above, and the source of the next level's system.
  void correct(SpinorField<T>& z, SpinorField<T>& source, const SpinorField<T>& r) const;
  const Lattice& lattice() const override { return system_.lattice(); }
  SpinorParameters domain() const override { return system_.domain(); }
  double flops() const override;

 private:
  const EvenOddSystem<T>& system_;
  CoarseCorrection<T> next_;
  Ref<LinearOperator<T>> smoother_;
  mutable KeptFields<T> here_;                // of this level
  mutable KeptFields<T> source_, next_full_;  // of the next level: of its system, and on all sites
};

extern template class Cycle<double>;
extern template class Cycle<float>;

/// out = M^-1 in by a solver in the precision S: fields are rounded before it and widened after it.
template <class T, class S>
class Rounded final : public LinearOperator<T>, public Counted {
 public:
  explicit Rounded(Ref<LinearOperator<S>> inner) : inner_(std::move(inner)) {}

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const Lattice& lattice() const override { return inner_->lattice(); }
  SpinorParameters domain() const override { return inner_->domain(); }
  double flops() const override { return flops_of(*inner_); }
  double bytes() const override { return bytes_of(*inner_); }

 private:
  Ref<LinearOperator<S>> inner_;
  mutable KeptFields<S> fields_;
};

extern template class Rounded<double, half>;
extern template class Rounded<float, half>;

}  // namespace kaon::detail
