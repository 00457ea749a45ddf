// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/column_packs.hpp"

#include <cstddef>

namespace kaon::detail {

/// V of a transfer: a dense matrix for each aggregate and chirality, [aggregate][chirality][row][j / W][re, im][W].
/// Rows are [site of the aggregate][component of the chirality], so that those of even sites come first.
template <class T>
struct BasisMatrices {
  T* data;
  int vectors;    ///< N, columns
  int site_rows;  ///< components of a chirality at a site
  int sites;      ///< of an aggregate

  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return sites * site_rows; }
  KOKKOS_FORCEINLINE_FUNCTION T* matrix(int aggregate, int chirality) const {
    return data + static_cast<std::size_t>(2 * aggregate + chirality) * static_cast<std::size_t>(rows()) *
                      static_cast<std::size_t>(2 * vectors);
  }
};

}  // namespace kaon::detail
