// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/su3.hpp"

namespace kaon::detail {

/// |a| with the sign of b.
template <class V>
KOKKOS_INLINE_FUNCTION V copy_sign(const V& a, const V& b) {
  if constexpr (lane_count<V> == 1) {
    return Kokkos::copysign(a, b);
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::copysign(a, b);
#endif
  }
}

/// V = A s B^dag with A and B unitary and s diagonal, positive, in no particular order.
template <class V>
struct SingularValues {
  ColorMatrix<V> left;
  V s[3];
  ColorMatrix<V> right;
};

/// Sweeps after which the columns of a 3x3 matrix are orthogonal to rounding. Convergence is quadratic: random matrices
/// need three or four sweeps, and those with singular values 1, 0.5 and 1e-13 up to five.
inline constexpr int jacobi_sweeps = 6;

/// (v_p, v_q) <- (c v_p - conj(s) v_q, c v_q + s v_p)
template <class V>
struct JacobiRotation {
  V c;
  Complex<V> s;

  KOKKOS_FORCEINLINE_FUNCTION void rotate(Complex<V>& v_p, Complex<V>& v_q) const {
    const Complex<V> old = v_p;
    v_p = c * old - conj(s) * v_q;
    v_q = c * v_q + s * old;
  }
};

/// The rotation that makes columns p and q orthogonal, of g = v_p^dag v_q and d = |v_q|^2 - |v_p|^2:
///
///   s = c tau,   c = (1 + |tau|^2)^(-1/2),   tau = 2 g / (d + sign(d) sqrt(d^2 + 4 |g|^2)).
///
/// No branches: the same for all lanes.
template <class V>
KOKKOS_INLINE_FUNCTION JacobiRotation<V> jacobi_rotation(const V& d, const Complex<V>& g) {
  // The least that can be added makes tau = 0 where d = 0 and g = 0.
  const V root = square_root(d * d + V(4) * norm2(g) + V(1e-300));
  const Complex<V> tau = (V(2) / (d + copy_sign(root, d))) * g;
  const V c = V(1) / square_root(V(1) + norm2(tau));
  return {c, c * tau};
}

/// The decomposition by rotations of the columns of V, pair after pair. The columns become A s, and the rotations B.
/// 3440 flops.
template <class V>
KOKKOS_INLINE_FUNCTION SingularValues<V> jacobi_svd(const ColorMatrix<V>& v) {
  SingularValues<V> result{v, {V(0), V(0), V(0)}, identity_matrix<V>()};
  ColorMatrix<V>&a = result.left, &b = result.right;
  const auto rotate = [](ColorMatrix<V>& m, int p, int q, const JacobiRotation<V>& r) {
    KAON_UNROLL
    for (int row = 0; row < 3; ++row) r.rotate(m.e[row][p], m.e[row][q]);
  };
  for (int sweep = 0; sweep < jacobi_sweeps; ++sweep) {
    KAON_UNROLL
    for (int pair = 0; pair < 3; ++pair) {
      const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2;
      V d = V(0);
      Complex<V> g{V(0), V(0)};
      KAON_UNROLL
      for (int row = 0; row < 3; ++row) {
        d = d + norm2(a.e[row][q]) - norm2(a.e[row][p]);
        conj_multiply_add(g, a.e[row][p], a.e[row][q]);
      }
      const JacobiRotation<V> rotation = jacobi_rotation(d, g);
      rotate(a, p, q, rotation);
      rotate(b, p, q, rotation);
    }
  }
  KAON_UNROLL
  for (int column = 0; column < 3; ++column) {
    result.s[column] = square_root(norm2(a.e[0][column]) + norm2(a.e[1][column]) + norm2(a.e[2][column]));
    const V inverse = V(1) / result.s[column];
    KAON_UNROLL
    for (int row = 0; row < 3; ++row) a.e[row][column] = inverse * a.e[row][column];
  }
  return result;
}

}  // namespace kaon::detail
