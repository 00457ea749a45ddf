// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil/stencil.hpp"

namespace kaon::detail {

/// The naive staggered stencil, on colour vectors:
///   D chi(x) = sum_mu eta_mu(x) [ U_mu(x) chi(x+mu) - U_mu(x-mu)^dag chi(x-mu) ],
/// eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y), eta_t = 1 (the phases of the MILC code). D^dag = -D.
/// 570 flops a site, (8 links x 18, 12 or 8 + 6 in + 6 out) reals. Kogut and Susskind, Phys. Rev. D 11 (1975) 395.
struct StaggeredStencil {
  static constexpr const char* name = "staggered";
  static constexpr int spins = 1;
  static constexpr auto legs = nearest_neighbors;

  /// K = -D
  static constexpr double factor(bool dagger) { return dagger ? 1.0 : -1.0; }
  static constexpr double weight(int) { return 1.0; }

  template <class V>
  struct Arithmetic {
    using Vector = ColorVector<V>;
    using Message = ColorVector<V>;
    /// The phases. Sub-lattices have even extents, so that all lanes have the same.
    struct AtSite {
      Scalar<V> eta[4];
    };

    KOKKOS_FORCEINLINE_FUNCTION AtSite at(const Site& site) const {
      AtSite at;
      int exponent = site.x[3];
      KAON_UNROLL
      for (int mu = 0; mu < 3; ++mu) {
        at.eta[mu] = (exponent & 1) != 0 ? Scalar<V>(-1) : Scalar<V>(1);
        exponent += site.x[mu];
      }
      at.eta[3] = Scalar<V>(1);
      return at;
    }
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> take(const ColorVector<V>& chi, float bias) const {
      ColorVector<V> message = chi;
      if (bias != 0.0F) {
        KAON_UNROLL
        for (int color = 0; color < 3; ++color) {
          message.c[color] = {message.c[color].re - V(bias), message.c[color].im - V(bias)};
        }
      }
      return message;
    }
    template <int leg, bool scaled>
    KOKKOS_FORCEINLINE_FUNCTION void give(ColorVector<V>& sum, const ColorVector<V>& message, const V& scale,
                                          const AtSite& at) const {
      const Scalar<V> eta = at.eta[legs[leg].mu];
      V weight(legs[leg].step > 0 ? eta : -eta);
      if constexpr (scaled) weight = weight * scale;
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        Complex<V>& z = sum.c[color];
        z.re = z.re + weight * message.c[color].re;
        z.im = z.im + weight * message.c[color].im;
      }
    }
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION void after(ColorVector<V>&) const {}
  };
  template <class V>
  Arithmetic<V> arithmetic(bool) const {
    return {};
  }

  // GPUs: a site holds a quarter of a spinor, so that more teams share the registers.
  template <class T, class Code, int N>
  static constexpr unsigned teams_per_multiprocessor = std::is_same_v<T, double> ? 4 : 6;
  template <class T, class Code, int N>
  static constexpr int legs_ahead = N == 1 ? 1 : 0;
  /// Right-hand sides that a thread takes at once: they share a link, which is loaded and restored once.
  template <class V>
  static constexpr int together = sizeof(Scalar<V>) == 4 ? 4 : 2;
};

}  // namespace kaon::detail
