// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "core/reductions/site_sums.hpp"

namespace kaon::detail {

/// sum += |z|^2 in the precision of the arithmetic
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_norm2(V& sum, const Complex<V>& z) {
  sum = sum + z.re * z.re;
  sum = sum + z.im * z.im;
}
/// (re, im) += conj(a) b
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_product(V& re, V& im, const Complex<V>& a, const Complex<V>& b) {
  re = re + a.re * b.re;
  re = re + a.im * b.im;
  im = im + a.re * b.im;
  im = im - a.im * b.re;
}

/// s += |y|^2, <y, x>, |x|^2, <w, y>, <w, x> on one site, real numbers and real and imaginary parts; those with x only
/// `with_x`, those with w only where w has data.
template <class Vector, class V, class W>
KOKKOS_FORCEINLINE_FUNCTION void add_site_products(V (&s)[site_sums], const Vector& y, const Vector& x, bool with_x,
                                                   const W& w, int index, int right_hand_side) {
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n) add_norm2(s[0], elements(y)[n]);
  if (with_x) {
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) {
      add_product(s[1], s[2], elements(y)[n], elements(x)[n]);
      add_norm2(s[3], elements(x)[n]);
    }
  }
  if (w.data == nullptr) return;
  const Vector at_w = w.load(index, right_hand_side);
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n) {
    add_product(s[4], s[5], elements(at_w)[n], elements(y)[n]);
    if (with_x) add_product(s[6], s[7], elements(at_w)[n], elements(x)[n]);
  }
}

}  // namespace kaon::detail
