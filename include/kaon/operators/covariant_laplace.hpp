// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/linear_operator.hpp>

namespace kaon {

struct LaplaceParameters {
  double kappa = 0.0;
  int dimensions = 3;  ///< 3: in space; 4: in time, too
  int spins = 1;
};

/// M psi = psi - kappa H psi, H the sum of the covariant shifts ahead and behind in D = 3 or 4 directions
/// (`covariant_sum`): kappa times the Laplace operator 1/kappa - H, with H between -2D and 2D. Hermitian; positive for
/// 0 < kappa < 1/(2D), for `Cg`. Periodic: no boundary condition of fermions enters.
template <class T>
class CovariantLaplace final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  /// Shares the links. Throws `Error` for compressed links, a kappa that is not finite, dimensions other than 3 and 4,
  /// and no spins.
  CovariantLaplace(const GaugeField<T>& links, const LaplaceParameters& parameters);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }

  const Lattice& lattice() const override { return links_.lattice(); }
  SpinorParameters domain() const override { return {.spins = spins_}; }
  double flops() const override;
  double bytes() const override;

 private:
  GaugeField<T> links_;
  CovariantSum sum_;
  int dimensions_, spins_;
};

extern template class CovariantLaplace<double>;
extern template class CovariantLaplace<float>;

}  // namespace kaon
