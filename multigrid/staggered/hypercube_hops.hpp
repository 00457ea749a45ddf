// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/site_matrices.hpp"
#include "multigrid/staggered/hypercube_sites.hpp"
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
template <class T>
class HypercubeHops final : public EvenOddOperator<T>,
                            public Coarsenable<T>,
                            public FactoredHops<T>,
                            public CountedHops {
 public:
  /// Links and matrices have the same precision. `right`: null for R = 1.
  HypercubeHops(const Lattice& hypercubes, std::shared_ptr<const CoarseLinks<T>> outer,
                std::shared_ptr<const SiteMatrices<T>> left, std::shared_ptr<const SiteMatrices<T>> right);

  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {.spins = 2, .colors = hypercube_components / 2}; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  /// The site term is 1.
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  void hop_along(SpinorField<T>& out, const SpinorField<T>& in, int mu) const override;
  void apply_factor(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void hop_along_after_factor(SpinorField<T>& out, const SpinorField<T>& in, int mu) const override;

  double hop_flops(SiteTerm term, bool with_x) const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override { return 0.0; }
  double site_term_bytes() const override { return 4.0 * hypercube_components * sizeof(T) * sites(); }
  double flops() const override { return lattice_.parities() * hop_flops(SiteTerm::diagonal, true); }
  double bytes() const override { return lattice_.parities() * hop_bytes(SiteTerm::diagonal, true); }

 private:
  /// out = a x + c L E in, with the neighbours behind the faces of these bits.
  void add_hops(SpinorField<T>& out, const SpinorField<T>& in, double scale, const Addend<T>& addend,
                unsigned open_faces) const;
  /// R in on one parity; `in` itself for R = 1.
  const SpinorField<T>& multiplied(const SpinorField<T>& in) const;
  double sites() const { return static_cast<double>(lattice_.volume()) / lattice_.parities(); }

  Lattice lattice_;
  std::shared_ptr<const CoarseSites> sites_;
  std::shared_ptr<const CoarseLinks<T>> outer_;
  std::shared_ptr<const SiteMatrices<T>> left_, right_;
  unsigned all_faces_;
  mutable std::array<KeptFields<T>, 2> multiplied_;  // R in, by parity
};

extern template class HypercubeHops<double>;
extern template class HypercubeHops<float>;

}  // namespace kaon::detail
