// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/site_matrices.hpp"
#include "multigrid/staggered/hypercube.hpp"
#include "multigrid/transfer/galerkin.hpp"

#include <kaon/core/kept_fields.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <array>
#include <memory>

namespace kaon::detail {

/// 1 - L E R on hypercubes, with the hops E between them (`hypercube_factors`) and matrices L and R at each:
///
///   A = X^(-1/2) T^dag M T X^(-1/2)    with L = R = X^(-1/2),
///   X^-1 T^dag M T                     with L = X^-1, R = 1,
///
/// A hypercube stores 576 numbers of E and 2304 of each matrix; dense links have 18432. A hop with R takes two passes.
class HypercubeHops final : public EvenOddOperator<float>,
                            public Coarsenable<float>,
                            public FactoredHops,
                            public CountedHops {
 public:
  /// Links and matrices have the same precision. `right`: null for R = 1.
  HypercubeHops(const Lattice& hypercubes, std::shared_ptr<const CoarseLinks> outer,
                std::shared_ptr<const SiteMatrices> left, std::shared_ptr<const SiteMatrices> right);

  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {.spins = 2, .colors = hypercube_components / 2}; }

  void hop(SpinorField<float>& out, const SpinorField<float>& in, const HopForm<float>& form) const override;
  /// The site term is 1.
  void apply_site_term(SpinorField<float>& out, const SpinorField<float>& in, SiteTerm term,
                       bool dagger) const override;
  void hop_along(SpinorField<float>& out, const SpinorField<float>& in, int mu) const override;
  void apply_factor(SpinorField<float>& out, const SpinorField<float>& in) const override;
  void hop_along_after_factor(SpinorField<float>& out, const SpinorField<float>& in, int mu) const override;

  double hop_flops(SiteTerm term, bool with_x) const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override { return 0.0; }
  double site_term_bytes() const override { return 4.0 * hypercube_components * sizeof(float) * sites(); }
  double flops() const override { return lattice_.parities() * hop_flops(SiteTerm::diagonal, true); }
  double bytes() const override { return lattice_.parities() * hop_bytes(SiteTerm::diagonal, true); }

 private:
  /// out = a x + c L E in, with the neighbours behind the faces of these bits.
  void add_hops(SpinorField<float>& out, const SpinorField<float>& in, double scale, const Addend& addend,
                unsigned open_faces) const;
  /// R in on one parity; `in` itself for R = 1.
  const SpinorField<float>& multiplied(const SpinorField<float>& in) const;
  double sites() const { return static_cast<double>(lattice_.volume()) / lattice_.parities(); }

  Lattice lattice_;
  std::shared_ptr<const CoarseSites> sites_;
  std::shared_ptr<const CoarseLinks> outer_;
  std::shared_ptr<const SiteMatrices> left_, right_;
  unsigned all_faces_;
  mutable std::array<KeptFields<float>, 2> multiplied_;  // R in, by parity
};

}  // namespace kaon::detail
