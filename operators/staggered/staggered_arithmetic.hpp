// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil/stencil.hpp"

namespace kaon::detail {

/// The arithmetic of staggered stencils on colour vectors: U chi of a leg ahead is added with the phase eta_mu(x),
/// U^dag chi of one behind with -eta_mu(x). eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y), eta_t = 1, the
/// phases of the MILC code.
template <class Stencil, class V>
struct StaggeredArithmetic {
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
    const Scalar<V> eta = at.eta[Stencil::legs[leg].mu];
    V weight(Stencil::legs[leg].step > 0 ? eta : -eta);
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

}  // namespace kaon::detail
