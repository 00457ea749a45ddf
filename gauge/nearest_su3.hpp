// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/jacobi_svd.hpp"

namespace kaon::detail {

KOKKOS_INLINE_FUNCTION Complex<double> turned_back(const Complex<double>& determinant) {
  const double angle = -Kokkos::atan2(determinant.im, determinant.re) / 3.0;
  return {Kokkos::cos(angle), Kokkos::sin(angle)};
}

/// exp(-i phi/3) of numbers exp(i phi), |phi| <= pi.
template <class V>
KOKKOS_INLINE_FUNCTION Complex<V> inverse_cube_root(const Complex<V>& number) {
  if constexpr (lane_count<V> == 1) {
    return turned_back(number);
  } else {
    alignas(sizeof(V)) double re[lane_count<V>], im[lane_count<V>];
    for (int lane = 0; lane < lane_count<V>; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      const Complex<double> root = turned_back({number.re[l], number.im[l]});
      re[lane] = root.re;
      im[lane] = root.im;
    }
    return {load_lanes<V>(re), load_lanes<V>(im)};
  }
}

/// W det(W)^(-1/3) with the nearest W in U(3) to v, and the cube root that is nearest to 1. NaN where v has no such W.
/// 3800 flops.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> nearest_su3(const ColorMatrix<V>& v) {
  const SingularValues<V> svd = jacobi_svd(v);
  ColorMatrix<V> w = times_adjoint(svd.left, svd.right);
  const Complex<V> root = inverse_cube_root(determinant(w));
  for (auto& row : w.e) {
    for (auto& element : row) element = root * element;
  }
  return w;
}

}  // namespace kaon::detail
