// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/multigrid/parameters.hpp>

#include <cstddef>
#include <type_traits>
#include <variant>

namespace kaon::detail {

/// Matrices of n rows in numbers of L, `count` at each site of a coarse lattice.
///
/// Stored as [parity][site][matrix][column][row], a column in the order of a field's site
/// (core/fields/element_order.hpp): a site's matrices are one stream. In `half` a matrix is `scale` times whole
/// numbers.
template <class L>
class CoarseMatrices {
 public:
  /// Matrices of n x `columns` numbers; 0: n x n.
  CoarseMatrices(const Lattice& lattice, int components, int count, int columns = 0);

  int count() const { return count_; }
  /// The first matrix of a parity.
  L* data(Parity parity) const { return numbers_.data() + static_cast<std::size_t>(parity) * parity_size_; }
  /// Scales of a parity, [site][matrix]; null unless L is `half`.
  float* scales(Parity parity) const {
    if constexpr (!std::is_same_v<L, half>) return nullptr;
    return scales_.data() + static_cast<std::size_t>(parity) * scales_parity_size_;
  }

  /// Stores matrix `number` of all sites of one parity, from a field on this parity whose right-hand side c is column
  /// c.
  void store(const SpinorField<float>& columns, int number);

  /// Bytes of one matrix.
  double matrix_bytes() const {
    return 2.0 * components_ * columns_ * sizeof(L) + (std::is_same_v<L, half> ? sizeof(float) : 0.0);
  }

 private:
  int components_, columns_, count_;
  std::size_t parity_size_, scales_parity_size_;
  Kokkos::View<L*, Memory> numbers_;
  Kokkos::View<float*, Memory> scales_;
};

/// The links of a coarse operator.
using CoarseLinks = std::variant<CoarseMatrices<float>, CoarseMatrices<half>>;

CoarseLinks make_coarse_links(const Lattice& lattice, int components, int count, MultigridPrecision precision,
                              int columns = 0);

extern template class CoarseMatrices<float>;
extern template class CoarseMatrices<half>;

}  // namespace kaon::detail
