// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/dense/column_packs.hpp"

#include <cstddef>

namespace kaon::detail {

/// V of a transfer: a dense matrix for each aggregate and chirality, [aggregate][chirality][row][j / W][re, im][W].
/// Rows are [site of the aggregate][component of the chirality], so that those of even sites come first.
///
/// Numbers of 16 bits are whole numbers, to be multiplied by the unit of their row, its largest number / 32767.
template <class L>
struct BasisMatrices {
  L* data;
  int vectors;    ///< N, columns
  int site_rows;  ///< components of a chirality at a site
  int sites;      ///< of an aggregate
  float* units;   ///< [aggregate][chirality][row], of 16-bit numbers; else null

  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return sites * site_rows; }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t first_row(int aggregate, int chirality) const {
    return static_cast<std::size_t>(2 * aggregate + chirality) * static_cast<std::size_t>(rows());
  }
  KOKKOS_FORCEINLINE_FUNCTION L* matrix(int aggregate, int chirality) const {
    return data + first_row(aggregate, chirality) * static_cast<std::size_t>(2 * vectors);
  }
};

}  // namespace kaon::detail
