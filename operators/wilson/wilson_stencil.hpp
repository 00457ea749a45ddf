// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "operators/stencil/stencil.hpp"

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

/// sum += scale (h, s C_mu h), the numbers of one colour of an upper spin and of its lower spin. 4 flops, `scale` not
/// counted.
template <int mu, bool scaled, class V>
KOKKOS_FORCEINLINE_FUNCTION void reconstruct(Spinor<V>& sum, const HalfSpinor<V>& h, int spin, int color, const V& s,
                                             const V& scale) {
  if constexpr (scaled) {
    sum.s[spin].c[color] += scale * h.s[spin].c[color];
    sum.s[2 + spin].c[color] += (s * scale) * upper_to_lower<mu>(h, spin, color);
  } else {
    sum.s[spin].c[color] += h.s[spin].c[color];
    sum.s[2 + spin].c[color] += s * upper_to_lower<mu>(h, spin, color);
  }
}

/// Wilson's stencil, on spinors; half spinors travel:
///   D psi(x) = sum_mu w_mu [ (1 - s g_mu) U_mu(x) psi(x+mu) + (1 + s g_mu) U_mu(x-mu)^dag psi(x-mu) ],
/// s = 1 for D and -1 for D^dag, w = `spatial_weight` in space and 1 in time. 1320 flops a site,
/// (8 links x 18, 12 or 8 + 24 in + 24 out) reals. Wilson 1974, see docs/conventions.md.
struct WilsonStencil {
  static constexpr const char* name = "wilson";
  static constexpr int spins = 4;
  static constexpr auto legs = nearest_neighbors;
  using Codes = LinkCodeChoices<LinkCodes<FullLinks>, LinkCodes<TwoRowLinks>, LinkCodes<MinimalLinks>>;

  double spatial_weight = 1.0;

  /// K = D/2
  static constexpr double factor(bool) { return 0.5; }
  double weight(int mu) const { return mu < 3 ? spatial_weight : 1.0; }

  struct Nothing {};
  /// `fixed` is s if the compiler knows it, which then adds and subtracts instead of multiplying; otherwise 0.
  template <class V, int fixed = 0>
  struct Arithmetic {
    using Vector = Spinor<V>;
    using Message = HalfSpinor<V>;
    using AtSite = Nothing;

    Scalar<V> sign, spatial_weight;

    template <int value>
    KOKKOS_FORCEINLINE_FUNCTION Arithmetic<V, value> with_sign() const {
      return {sign, spatial_weight};
    }
    KOKKOS_FORCEINLINE_FUNCTION AtSite at(const Site&) const { return {}; }
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION HalfSpinor<V> take(const Spinor<V>& psi, float bias) const {
      return project<legs[leg].mu>(psi, s<leg>(), bias);
    }
    template <int leg, bool scaled>
    KOKKOS_FORCEINLINE_FUNCTION void give(Spinor<V>& sum, const HalfSpinor<V>& h, int spin, int color, const V& scale,
                                          AtSite) const {
      reconstruct<legs[leg].mu, scaled>(sum, h, spin, color, s<leg>(), scale);
    }
    /// Spatial legs come first.
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION void after(Spinor<V>& sum) const {
      if constexpr (leg == 5) {
        if (spatial_weight != Scalar<V>(1)) multiply(sum, V(spatial_weight));
      }
    }

   private:
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION V s() const {
      constexpr int along = legs[leg].step > 0 ? -1 : 1;
      if constexpr (fixed != 0) return V(Scalar<V>(along * fixed));
      return V(along < 0 ? -sign : sign);
    }
  };
  template <class V>
  Arithmetic<V> arithmetic(bool dagger) const {
    return {dagger ? Scalar<V>(-1) : Scalar<V>(1), static_cast<Scalar<V>>(spatial_weight)};
  }

  // GPUs: teams on a multiprocessor, and legs that a thread loads ahead of the one it works on. Doubles take twice
  // the registers, so that two teams of 255 registers a thread are best for them; pending loads of 16-bit numbers need
  // half of them, so that four teams of 128 suffice. On an H200, 32^4, Gflop/s with 0 and 1 ahead:
  //   double, 2 teams, 18 / 12 / 8 reals: 3549 / 4330 / 3695 and 3547 / 4505 / 4120
  //   single, 3 teams (8 reals 4):        6909 / 8497 / 9801 and 6962 / 8634 / 9366 (3 teams)
  //   half,   4 teams (0 ahead 3, 3, 4):  9823 / 11161 / 9792 and 10858 / 11727 / 10176
  // With two right-hand sides at once, enough loads are pending and no registers are free.
  template <class T, class Code, int N>
  static constexpr unsigned teams_per_multiprocessor = std::is_same_v<T, double> ? 2
                                                       : N == 1 && std::is_same_v<T, half>
                                                           ? 4
                                                           : (Code::storage == LinkStorage::minimal ? 4 : 3);
  template <class T, class Code, int N>
  static constexpr int legs_ahead =
      N == 1 && !(std::is_same_v<T, float> && Code::storage == LinkStorage::minimal) ? 1 : 0;
  /// Not 16-bit numbers: the links would be converted in memory, which costs one right-hand side 10 %, and its digits
  /// are those of many.
  template <class T, bool decodes>
  static constexpr bool sums_in_registers = !std::is_same_v<T, half>;
  static constexpr bool antisymmetric = false;
  /// Right-hand sides that a thread takes at once: they share a link, which is loaded and restored once.
  template <class V>
  static constexpr int together = sizeof(Scalar<V>) == 4 ? 2 : 1;
};

}  // namespace kaon::detail
