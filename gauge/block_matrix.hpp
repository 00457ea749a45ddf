// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"

namespace kaon::detail {

/// A block of a clover field as the 6x6 matrix of a work item.
struct BlockMatrix {
  using Number = Kokkos::complex<double>;
  Number e[6][6];

  using View =
      Kokkos::View<Number**, Kokkos::LayoutRight, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  KOKKOS_FUNCTION View view() { return View(&e[0][0], 6, 6); }
};

KOKKOS_INLINE_FUNCTION BlockMatrix unpack(const HermitianBlock<double>& block) {
  BlockMatrix a;
  int below = 0;
  for (int row = 0; row < 6; ++row) {
    a.e[row][row] = block.diagonal(row);
    for (int column = 0; column < row; ++column, ++below) {
      a.e[row][column] = BlockMatrix::Number(block.below[below].re, block.below[below].im);
      a.e[column][row] = BlockMatrix::Number(block.below[below].re, -block.below[below].im);
    }
  }
  return a;
}

}  // namespace kaon::detail
