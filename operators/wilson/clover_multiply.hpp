// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"

namespace kaon::detail {

/// out = C in for a 6x6 Hermitian block, in on the two spins of a chirality. 276 flops as written here and by QUDA.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void multiply_block(ColorVector<V> (&out)[2], const HermitianBlock<V>& block,
                                                const ColorVector<V> (&in)[2]) {
  KAON_UNROLL
  for (int row = 0; row < 6; ++row) out[row / 3].c[row % 3] = block.diagonal(row) * in[row / 3].c[row % 3];
  KAON_UNROLL
  for (int row = 1; row < 6; ++row) {
    KAON_UNROLL
    for (int column = 0; column < row; ++column) {
      const Complex<V>& element = block.below[row * (row - 1) / 2 + column];
      multiply_add(out[row / 3].c[row % 3], element, in[column / 3].c[column % 3]);
      conj_multiply_add(out[column / 3].c[column % 3], element, in[row / 3].c[row % 3]);
    }
  }
}

/// C psi on one site.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION Spinor<V> multiply_clover(const CloverAccess<const T, V>& clover, const Spinor<V>& psi,
                                                      int index) {
  Spinor<V> result;
  KAON_UNROLL
  for (int chirality = 0; chirality < 2; ++chirality) {
    const ColorVector<V> in[2] = {psi.s[2 * chirality], psi.s[2 * chirality + 1]};
    ColorVector<V> out[2];
    multiply_block(out, clover.load_raw(index, chirality), in);
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      const V scale = clover.load_scale(index, chirality);
      multiply(out[0], scale);
      multiply(out[1], scale);
    }
    result.s[2 * chirality] = out[0];
    result.s[2 * chirality + 1] = out[1];
  }
  return result;
}

}  // namespace kaon::detail
