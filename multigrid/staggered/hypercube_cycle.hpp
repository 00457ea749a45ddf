// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/hierarchy.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"

#include <memory>

namespace kaon::detail {

/// z = T X^(-1/2) c for the approximate solution c of A c = X^(-1/2) T^dag r by a cycle: an approximation of M^-1 r on
/// all sites, M a staggered operator.
class HypercubeCycle final : public LinearOperator<float>, public Counted {
 public:
  /// Borrows all of them; `levels` are those of the matrix of `hypercubes`.
  HypercubeCycle(const LinearOperator<float>& dirac, const HypercubeOperator<float>& hypercubes,
                 const Hierarchy<float>& levels)
      : dirac_(dirac), hypercubes_(hypercubes), levels_(levels) {}

  void apply(SpinorField<float>& z, const SpinorField<float>& r) const override;
  const Lattice& lattice() const override { return dirac_.lattice(); }
  SpinorParameters domain() const override { return dirac_.domain(); }
  double flops() const override { return flops_of(levels_.cycle()); }

 private:
  const LinearOperator<float>& dirac_;
  const HypercubeOperator<float>& hypercubes_;
  const Hierarchy<float>& levels_;
  mutable KeptFields<float> fields_, source_;
};

/// Minimal residuals, or Richardson's method, on the even-odd system S_L of X^-1 M in place of that of A, S: S^-1 r =
/// X^(1/2) S_L^-1 X^(-1/2) r on hypercubes of one parity. A step multiplies by X^-1 twice, where one on S multiplies by
/// X^(-1/2) four times.
class HypercubeSmoother final : public LinearOperator<float>, public Counted {
 public:
  /// Borrows `hypercubes`. Minimal residuals where there are no weights.
  HypercubeSmoother(const HypercubeOperator<float>& hypercubes, const MultigridParameters& parameters,
                    const Weights& weights);

  void apply(SpinorField<float>& z, const SpinorField<float>& r) const override;
  const Lattice& lattice() const override { return system_->lattice(); }
  SpinorParameters domain() const override { return system_->domain(); }
  double flops() const override { return flops_of(*relaxation_); }

 private:
  const HypercubeOperator<float>& hypercubes_;
  std::unique_ptr<EvenOddSystem<float>> system_;
  Ref<LinearOperator<float>> relaxation_;
  mutable KeptFields<float> fields_;
};

}  // namespace kaon::detail
