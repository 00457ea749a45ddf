// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

namespace kaon::detail {

// Wilson's hop in the DeGrand-Rossi basis, where g_mu = [[0, B_mu], [C_mu, 0]] with C_mu = B_mu^dag = B_mu^-1:
//   (1 + s g_mu) psi = (h, s C_mu h),  h = psi_upper + s B_mu psi_lower,  s = +-1,
// so a hop multiplies two colour vectors by the link instead of four.

/// B_mu v of the two lower spins.
template <int mu, class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> lower_to_upper(const ColorVector<V> (&low)[2], int spin, int color) {
  if constexpr (mu == 0) return times_i(low[1 - spin].c[color]);                                   // i s1
  if constexpr (mu == 1) return spin == 0 ? -low[1].c[color] : low[0].c[color];                    // -i s2
  if constexpr (mu == 2) return spin == 0 ? times_i(low[0].c[color]) : -times_i(low[1].c[color]);  // i s3
  if constexpr (mu == 3) return low[spin].c[color];
}

/// C_mu h of the two upper spins.
template <int mu, class V>
KOKKOS_FORCEINLINE_FUNCTION Complex<V> upper_to_lower(const HalfSpinor<V>& h, int spin, int color) {
  if constexpr (mu == 0) return -times_i(h.s[1 - spin].c[color]);
  if constexpr (mu == 1) return spin == 0 ? h.s[1].c[color] : -h.s[0].c[color];
  if constexpr (mu == 2) return spin == 0 ? -times_i(h.s[0].c[color]) : times_i(h.s[1].c[color]);
  if constexpr (mu == 3) return h.s[spin].c[color];
}

/// h = psi_upper + s B_mu psi_lower of a psi that has `bias` too much in each number. 12 flops.
template <int mu, class V>
KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<V> project(const Spinor<V>& psi, const V& s, float bias) {
  const ColorVector<V>(&low)[2] = {psi.s[2], psi.s[3]};
  const Complex<V> one{V(1), V(1)};
  const ColorVector<V> ones[2] = {{one, one, one}, {one, one, one}};
  HalfSpinor<V> h;
  KAON_UNROLL
  for (int spin = 0; spin < 2; ++spin) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      Complex<V> upper = psi.s[spin].c[color];
      if (bias != 0.0F) {
        const Complex<V> lower_bias = lower_to_upper<mu>(ones, spin, color);
        upper.re = upper.re - V(bias) * (V(1) + s * lower_bias.re);
        upper.im = upper.im - V(bias) * (V(1) + s * lower_bias.im);
      }
      h.s[spin].c[color] = upper + s * lower_to_upper<mu>(low, spin, color);
    }
  }
  return h;
}

/// sum += scale (h, s C_mu h). 24 flops, `scale` not counted.
template <int mu, bool scaled, class V>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct(Spinor<V>& sum, const HalfSpinor<V>& h, const V& s, const V& scale) {
  KAON_UNROLL
  for (int spin = 0; spin < 2; ++spin) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      if constexpr (scaled) {
        sum.s[spin].c[color] += scale * h.s[spin].c[color];
        sum.s[2 + spin].c[color] += (s * scale) * upper_to_lower<mu>(h, spin, color);
      } else {
        sum.s[spin].c[color] += h.s[spin].c[color];
        sum.s[2 + spin].c[color] += s * upper_to_lower<mu>(h, spin, color);
      }
    }
  }
}

}  // namespace kaon::detail
