// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/transfer.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

/// The next level, as seen from the one above it.
struct CoarseCorrection {
  const Transfer& transfer;
  const EvenOddSystem<float>& system;   ///< of the next level
  const LinearOperator<float>& solver;  ///< an approximation of the inverse of that system
};

/// z = an approximation of S^-1 r for the system S of one level (docs/conventions.md, "Multigrid"): the correction of
/// the next level, then the smoother on the remaining residual.
///
///   b = R_p A_p r,  c = approximate D_c^-1 b,  z = P_p c,  z = z + smoother(r - S z)
///
/// The cycle is linear if the solver and the smoother are. The host waits only if the last level is solved by
/// iterations or on several processes, or if kernels cannot sum all right-hand sides at once.
class Cycle final : public LinearOperator<float>, public Counted {
 public:
  /// Borrows `system` and what `correction` refers to.
  Cycle(const EvenOddSystem<float>& system, const CoarseCorrection& correction, Ref<LinearOperator<float>> smoother);

  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override;
  /// Computes z = P_p c of the formula above, and the source of the next level's system.
  void correct(SpinorField<float>& z, SpinorField<float>& source, const SpinorField<float>& r) const;
  const Lattice& lattice() const override { return system_.lattice(); }
  SpinorParameters domain() const override { return system_.domain(); }
  double flops() const override;

 private:
  const EvenOddSystem<float>& system_;
  CoarseCorrection next_;
  Ref<LinearOperator<float>> smoother_;
  mutable KeptFields<float> here_;                // of this level
  mutable KeptFields<float> source_, next_full_;  // of the next level: of its system, and on all sites
};

/// out = M^-1 in by a solver in `half`: fields are rounded before it and widened after it.
class Rounded final : public LinearOperator<float>, public Counted {
 public:
  explicit Rounded(Ref<LinearOperator<half>> inner) : inner_(std::move(inner)) {}

  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override;
  const Lattice& lattice() const override { return inner_->lattice(); }
  SpinorParameters domain() const override { return inner_->domain(); }
  double flops() const override { return flops_of(*inner_); }
  double bytes() const override { return bytes_of(*inner_); }

 private:
  Ref<LinearOperator<half>> inner_;
  mutable KeptFields<half> fields_;
};

}  // namespace kaon::detail
