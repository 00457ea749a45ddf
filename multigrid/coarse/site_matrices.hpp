// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/element_order.hpp"
#include "multigrid/coarse/coarse_links.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <variant>

namespace kaon::detail {

/// a x, on the parity of an output; nothing if x is null.
struct Addend {
  double scale = 1.0;
  const SpinorField<float>* x = nullptr;
};

/// out = a x + c B in, B the first matrix of each site, for fields on one parity.
template <class Inputs = FieldInputs, class L>
CoarseSum<L, Inputs> make_coarse_sum(SpinorField<float>& out, const SpinorField<float>& in,
                                     const CoarseMatrices<L>& matrices, double scale, const Addend& addend) {
  const Lattice& lattice = out.lattice();
  const Parity parity = parity_of(out.subset());
  CoarseSum<L, Inputs> sum{};
  sum.components = out.components();
  sum.lanes = ElementOrder<float>::of(lattice, sum.components).lanes;
  sum.sites = static_cast<int>(lattice.local_volume()) / lattice.parities();
  sum.right_hand_sides = out.right_hand_sides();
  sum.terms = 1;
  sum.matrices = matrices.count();
  sum.links = matrices.data(parity);
  sum.link_scales = matrices.scales(parity);
  sum.in = in.data();
  sum.in_stride = in.right_hand_side_stride();
  sum.out = out.data();
  sum.out_stride = out.right_hand_side_stride();
  if (addend.x != nullptr) {
    sum.x = addend.x->data();
    sum.x_stride = addend.x->right_hand_side_stride();
  }
  sum.scale = static_cast<float>(scale);
  sum.x_scale = static_cast<float>(addend.scale);
  return sum;
}

/// An n x n matrix B at each site of a coarse lattice.
class SiteMatrices {
 public:
  /// Copies a field on all sites with n right-hand sides: right-hand side c is column c.
  explicit SiteMatrices(const SpinorField<float>& columns, MultigridPrecision stored = MultigridPrecision::single);
  /// Matrices that are not yet set.
  SiteMatrices(const Lattice& lattice, int components, MultigridPrecision stored = MultigridPrecision::single)
      : lattice_(lattice), matrices_(make_coarse_links(lattice, components, 1, stored)) {}

  const CoarseLinks& links() const { return matrices_; }
  /// The matrices, if they are stored in single precision.
  const CoarseMatrices<float>& matrices() const { return std::get<CoarseMatrices<float>>(matrices_); }
  CoarseMatrices<float>& matrices() { return std::get<CoarseMatrices<float>>(matrices_); }
  double matrix_bytes() const {
    return std::visit([](const auto& matrices) { return matrices.matrix_bytes(); }, matrices_);
  }

  /// out = a x + c B in on one parity; `out` may be `in`.
  void apply(SpinorField<float>& out, const SpinorField<float>& in, double scale = 1.0,
             const Addend& addend = {}) const;
  /// out = B in on all sites; `out` may be `in`.
  void apply_to_all(SpinorField<float>& out, const SpinorField<float>& in) const;

 private:
  Lattice lattice_;
  CoarseLinks matrices_;
};

/// inverse = X^-1 at each site, one n x n matrix a site, by Gauss-Jordan elimination with partial pivoting, in double.
/// If no pivot is larger than the rounding errors of X in single precision, `inverse` is 1 at the site. Returns the
/// number of such sites on this process. Waits.
int invert_site_matrices(CoarseMatrices<float>& inverse, const CoarseMatrices<float>& x, const Lattice& lattice,
                         int components);

}  // namespace kaon::detail
