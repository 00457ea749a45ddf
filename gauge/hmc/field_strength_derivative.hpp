// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

namespace kaon::detail {

// sigma_{mu nu} of the planes by Pauli matrices, in the DeGrand-Rossi basis: s3, s2, s1 in xy, xz, yz on both
// chiralities; -s1, s2, -s3 in xt, yt, zt on the upper one, with the opposite signs on the lower one. So s_k is in
// the spatial plane 3 - k and the temporal plane k - 1, numbered as in `FieldStrengthDerivative`.

/// s_k, each row of which has one element that is not 0.
struct PauliMatrix {
  int k;  ///< 1, 2, 3

  /// The column of this element.
  KOKKOS_FORCEINLINE_FUNCTION int column(int row) const { return k == 3 ? row : 1 - row; }
  /// This element times a.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION Complex<V> times(int row, const Complex<V>& a) const {
    if (k == 1) return a;
    if (k == 3) return row == 0 ? a : Complex<V>{-a.re, -a.im};
    return row == 0 ? Complex<V>{a.im, -a.re} : Complex<V>{-a.im, a.re};
  }
  KOKKOS_FORCEINLINE_FUNCTION int spatial_plane() const { return 3 - k; }
  KOKKOS_FORCEINLINE_FUNCTION int temporal_plane() const { return k - 1; }
  /// The sign of s_k of the upper chirality in the temporal plane.
  KOKKOS_FORCEINLINE_FUNCTION double upper_sign() const { return k == 2 ? 1.0 : -1.0; }
};

}  // namespace kaon::detail
