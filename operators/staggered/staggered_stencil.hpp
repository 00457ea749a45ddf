// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil/hopping.hpp"
#include "operators/stencil/site_term.hpp"
#include "operators/stencil/stencil.hpp"

#include <array>

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
  KOKKOS_FORCEINLINE_FUNCTION void give(ColorVector<V>& sum, const ColorVector<V>& message, int, int color,
                                        const V& scale, const AtSite& at) const {
    const Scalar<V> eta = at.eta[Stencil::legs[leg].mu];
    V weight(Stencil::legs[leg].step > 0 ? eta : -eta);
    if constexpr (scaled) weight = weight * scale;
    Complex<V>& z = sum.c[color];
    z.re = z.re + weight * message.c[color].re;
    z.im = z.im + weight * message.c[color].im;
  }
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION void after(ColorVector<V>&) const {}
};

/// The base of both staggered stencils.
template <class Stencil>
struct StaggeredTraits {
  static constexpr int spins = 1;
  static constexpr bool antisymmetric = true;

  /// K = -D
  static constexpr double factor(bool dagger) { return dagger ? 1.0 : -1.0; }
  static constexpr double weight(int) { return 1.0; }

  template <class V>
  using Arithmetic = StaggeredArithmetic<Stencil, V>;
  template <class V>
  Arithmetic<V> arithmetic(bool) const {
    return {};
  }

  // GPUs
  template <class T, class Code, int N>
  static constexpr int legs_ahead = N == 1 ? 1 : 0;
  /// Decoding links first costs one right-hand side more than rows gain, and its digits are those of many.
  template <class T, bool decodes>
  static constexpr bool sums_in_registers = !decodes;
  /// Right-hand sides that a thread takes at once: they share a link, which is loaded and restored once.
  template <class V>
  static constexpr int together = sizeof(Scalar<V>) == 4 ? 4 : 2;
};

/// The naive staggered stencil, on colour vectors:
///   D chi(x) = sum_mu eta_mu(x) [ U_mu(x) chi(x+mu) - U_mu(x-mu)^dag chi(x-mu) ],
/// with the phases of `StaggeredArithmetic`. D^dag = -D. 570 flops a site, (8 links x 18, 14, 12 or 8 + 6 in + 6 out)
/// reals. Kogut and Susskind, Phys. Rev. D 11 (1975) 395.
struct StaggeredStencil : StaggeredTraits<StaggeredStencil> {
  static constexpr const char* name = "staggered";
  static constexpr auto legs = nearest_neighbors;
  using Codes = LinkCodeChoices<LinkCodes<FullLinks>, LinkCodes<TwoRowDeterminantLinks>, LinkCodes<TwoRowLinks>,
                                LinkCodes<MinimalLinks>>;

  // GPUs: a site holds a quarter of a spinor, so that more teams share the registers.
  template <class T, class Code, int N>
  static constexpr unsigned teams_per_multiprocessor = std::is_same_v<T, double> ? 4 : 6;
};

/// The improved staggered stencil, fat links F and third links T of weight w, on colour vectors:
///   D chi(x) = sum_mu eta_mu(x) [   F_mu(x) chi(x+mu)      - F_mu(x-mu)^dag chi(x-mu)
///                               + w ( T_mu(x) chi(x+3mu)   - T_mu(x-3mu)^dag chi(x-3mu) ) ],
/// with the phases of `StaggeredArithmetic`. D^dag = -D. 1146 flops a site, (8 fat links x 18 + 8 third links x 18, 14,
/// 12, 10 or 8 + 6 in + 6 out) reals. Naik, Nucl. Phys. B 316 (1989) 238; Orginos, Toussaint and Sugar,
/// hep-lat/9903032.
struct ImprovedStencil : StaggeredTraits<ImprovedStencil> {
  static constexpr const char* name = "improved_staggered";
  static constexpr std::array<Leg, 16> legs{{{0, +1, 0},
                                             {0, -1, 0},
                                             {0, +3, 1},
                                             {0, -3, 1},
                                             {1, +1, 0},
                                             {1, -1, 0},
                                             {1, +3, 1},
                                             {1, -3, 1},
                                             {2, +1, 0},
                                             {2, -1, 0},
                                             {2, +3, 1},
                                             {2, -3, 1},
                                             {3, +1, 0},
                                             {3, -1, 0},
                                             {3, +3, 1},
                                             {3, -3, 1}}};
  using Codes = LinkCodeChoices<LinkCodes<FullLinks, FullLinks>, LinkCodes<FullLinks, TwoRowDeterminantLinks>,
                                LinkCodes<FullLinks, TwoRowLinks>, LinkCodes<FullLinks, MinimalDeterminantLinks>,
                                LinkCodes<FullLinks, MinimalLinks>>;

  double third_weight = 0.0;  ///< w

  double link_weight(int set) const { return set == 0 ? 1.0 : third_weight; }

  // GPUs: as many teams as leave a thread the registers for one leg ahead, and for the sums and messages of several
  // right-hand sides. Registers and words that spill at most (sm_90, 18 and 14 reals, without halos):
  //   one right-hand side:  double 128, 34;  single 96, 6;   half 96, none
  //   several together:     double 168, 4;   single 128, 11; half 128, none
  // With 6 teams (80 registers) several in single spill 430.
  template <class T, class Code, int N>
  static constexpr unsigned teams_per_multiprocessor = std::is_same_v<T, double> ? (N == 1 ? 4 : 3) : (N == 1 ? 5 : 4);
};

template <class T>
using StaggeredHop = Hopping<T, StaggeredStencil>;

template <class T>
using ImprovedStaggeredHop = Hopping<T, ImprovedStencil>;

}  // namespace kaon::detail
