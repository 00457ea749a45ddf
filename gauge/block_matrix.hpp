// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"

#include <kaon/core/coordinates.hpp>

#include <fmt/format.h>

#include <string>

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

/// The Hermitian part.
KOKKOS_INLINE_FUNCTION HermitianBlock<double> pack(const BlockMatrix& a) {
  HermitianBlock<double> block;
  int below = 0;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < row; ++column, ++below) {
      block.below[below] = {0.5 * (a.e[row][column].real() + a.e[column][row].real()),
                            0.5 * (a.e[row][column].imag() - a.e[column][row].imag())};
    }
  }
  for (int pair = 0; pair < 3; ++pair) {
    block.d[pair] = {a.e[2 * pair][2 * pair].real(), a.e[2 * pair + 1][2 * pair + 1].real()};
  }
  return block;
}

/// Whether all elements of the lower triangle are finite as numbers of T, in which a block is stored.
template <class T>
KOKKOS_INLINE_FUNCTION bool is_finite(const BlockMatrix& a) {
  double sum = 0.0;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column <= row; ++column)
      sum += Kokkos::abs(a.e[row][column].real()) + Kokkos::abs(a.e[row][column].imag());
  }
  return Kokkos::isfinite(static_cast<T>(sum));
}

/// The message about a block that is not finite.
inline std::string block_not_finite(const Coordinates& x, bool upper) {
  return fmt::format(
      "the {} clover block at site ({}, {}, {}, {}) is not finite: look for NaN, infinity and huge numbers in the "
      "links there, and in mass and csw",
      upper ? "upper" : "lower", x[0], x[1], x[2], x[3]);
}

/// A B + shift
KOKKOS_INLINE_FUNCTION BlockMatrix product(const BlockMatrix& a, const BlockMatrix& b, double shift) {
  BlockMatrix c;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6; ++column) {
      BlockMatrix::Number sum = row == column ? shift : 0.0;
      for (int k = 0; k < 6; ++k) sum += a.e[row][k] * b.e[k][column];
      c.e[row][column] = sum;
    }
  }
  return c;
}

/// factor A
KOKKOS_INLINE_FUNCTION BlockMatrix scaled(BlockMatrix a, double factor) {
  for (auto& row : a.e) {
    for (auto& element : row) element *= factor;
  }
  return a;
}

}  // namespace kaon::detail
