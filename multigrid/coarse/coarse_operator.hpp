// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/coarse_links.hpp"
#include "multigrid/coarse/site_matrices.hpp"

#include <kaon/operators/even_odd_operator.hpp>

#include <memory>
#include <span>
#include <vector>

namespace kaon::detail {

/// The operator of a coarse lattice, for fields with 2 spins and N colours, n = 2 N components:
///
///   D_c c(a) = X(a) c(a) - sum_mu [ Y_{+mu}(a) c(a+mu) + Y_{-mu}(a) c(a-mu) ],
///   Y_{-mu}(a) = G5 Y_{+mu}(a-mu)^dag G5,    G5 = diag(+1_N, -1_N).
///
/// A = X and K is the sum of the Y. The operator stores X, X^-1 and the links Yhat = X^-1 Y: `SiteTerm::inverse` is one
/// pass, other forms multiply by X again. A direction of extent 1 has no links: its hops are part of X. Source:
/// arXiv:1612.07873.
///
/// The adjoint is not that of a gamma5-Hermitian operator if X has a twist, and needs links of its own: every call for
/// it throws `Error`.
class CoarseOperator final : public EvenOddOperator<float>, public Coarsenable<float>, public CountedHops {
 public:
  /// The most components: 2 N.
  static constexpr int most_components = 240;

  /// Makes the operator of X and Y_{+mu}, fields with n right-hand sides on all sites: right-hand side c is column c of
  /// each matrix. `y` has four fields, or only those in directions of extent above 1; others are ignored. X and X^-1
  /// are stored in single precision. At sites where X is singular, X^-1 is 1: see `singular_sites`. Throws `Error` for
  /// fields of other shapes. Collective.
  CoarseOperator(const SpinorField<float>& x, std::span<const SpinorField<float>> y, MultigridPrecision links);

  /// N.
  int vectors() const { return components_ / 2; }
  /// Sites of the whole lattice whose X could not be inverted. The operator must not be used unless there are none.
  int singular_sites() const { return singular_sites_; }
  MultigridPrecision link_precision() const { return link_precision_; }

  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {.spins = 2, .colors = vectors()}; }

  /// On lattices of one parity, `out` and `in` hold that one, and are different fields.
  void hop(SpinorField<float>& out, const SpinorField<float>& in, const HopForm<float>& form) const override;
  void apply_site_term(SpinorField<float>& out, const SpinorField<float>& in, SiteTerm term,
                       bool dagger) const override;
  void hop_along(SpinorField<float>& out, const SpinorField<float>& in, int mu) const override;

  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;
  double flops() const override { return lattice_.parities() * hop_flops(SiteTerm::diagonal, true); }
  double bytes() const override { return lattice_.parities() * hop_bytes(SiteTerm::diagonal, true); }

 private:
  /// X^-1 Y.
  void set_links(std::span<const SpinorField<float>> y);
  /// out = a x + c sum of `count` links from number `first` on, times in.
  void add_links(SpinorField<float>& out, const SpinorField<float>& in, double scale, const Addend& addend, int first,
                 int count) const;
  /// Shape of fields with the columns of a matrix at each site of one parity.
  SpinorParameters matrix_shape(Parity parity) const;
  double sites() const { return static_cast<double>(lattice_.volume()) / lattice_.parities(); }
  int links_of_site() const { return 2 * static_cast<int>(along_.size()); }

  Lattice lattice_;
  int components_;
  MultigridPrecision link_precision_;
  std::vector<int> along_;  // directions of extent above 1
  std::shared_ptr<const CoarseSites> sites_;
  SiteMatrices x_, inverse_;  // X and X^-1
  CoarseLinks links_;         // Yhat in the order of the faces, without directions of extent 1
  int singular_sites_ = 0;
};

// Checks of the operands of operators on coarse lattices. Each throws `Error` for fields of other shapes, parities or
// lattices, and for adjoints, which coarse operators do not have.

void require_coarse_site_term(const EvenOddOperator<float>& dirac, const SpinorField<float>& out,
                              const SpinorField<float>& in, SiteTerm term, bool dagger);
void require_coarse_hop(const EvenOddOperator<float>& dirac, const SpinorField<float>& out,
                        const SpinorField<float>& in, const HopForm<float>& form);

}  // namespace kaon::detail
