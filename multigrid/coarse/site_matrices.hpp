// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/element_order.hpp"
#include "multigrid/coarse/coarse_links.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <variant>

namespace kaon::detail {

/// a x, on the parity of an output; nothing if x is null.
template <class T>
struct Addend {
  double scale = 1.0;
  const SpinorField<T>* x = nullptr;
};

/// out = a x + c B in, B the first matrix of each site, for fields on one parity.
template <class Inputs = FieldInputs, class T, class L>
CoarseSum<T, L, Inputs> make_coarse_sum(SpinorField<T>& out, const SpinorField<T>& in,
                                        const CoarseMatrices<T, L>& matrices, double scale, const Addend<T>& addend) {
  const Lattice& lattice = out.lattice();
  const Parity parity = out.subset() == Subset::odd ? Parity::odd : Parity::even;
  CoarseSum<T, L, Inputs> sum{};
  sum.components = out.components();
  sum.lanes = ElementOrder<T>::of(lattice, sum.components).lanes;
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
  sum.scale = static_cast<T>(scale);
  sum.x_scale = static_cast<T>(addend.scale);
  return sum;
}

/// An n x n matrix B at each site of a coarse lattice.
template <class T>
class SiteMatrices {
 public:
  /// Copies a field on all sites with n right-hand sides: right-hand side c is column c.
  explicit SiteMatrices(const SpinorField<T>& columns, StoredPrecision stored = StoredPrecision::field);
  /// Matrices that are not yet set.
  SiteMatrices(const Lattice& lattice, int components, StoredPrecision stored = StoredPrecision::field)
      : lattice_(lattice), matrices_(make_coarse_links<T>(lattice, components, 1, stored)) {}

  const CoarseLinks<T>& links() const { return matrices_; }
  /// The matrices, if they are stored in T.
  const CoarseMatrices<T, T>& matrices() const { return std::get<CoarseMatrices<T, T>>(matrices_); }
  CoarseMatrices<T, T>& matrices() { return std::get<CoarseMatrices<T, T>>(matrices_); }
  double matrix_bytes() const {
    return std::visit([](const auto& matrices) { return matrices.matrix_bytes(); }, matrices_);
  }

  /// out = a x + c B in on one parity; `out` may be `in`.
  void apply(SpinorField<T>& out, const SpinorField<T>& in, double scale = 1.0, const Addend<T>& addend = {}) const;
  /// out = B in on all sites; `out` may be `in`.
  void apply_to_all(SpinorField<T>& out, const SpinorField<T>& in) const;

 private:
  Lattice lattice_;
  CoarseLinks<T> matrices_;
};

extern template class SiteMatrices<double>;
extern template class SiteMatrices<float>;

}  // namespace kaon::detail
