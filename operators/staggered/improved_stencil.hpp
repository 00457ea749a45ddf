// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/staggered/staggered_arithmetic.hpp"

#include <array>

namespace kaon::detail {

/// The improved staggered stencil, fat links F and third links T of weight w, on colour vectors:
///   D chi(x) = sum_mu eta_mu(x) [   F_mu(x) chi(x+mu)      - F_mu(x-mu)^dag chi(x-mu)
///                               + w ( T_mu(x) chi(x+3mu)   - T_mu(x-3mu)^dag chi(x-3mu) ) ],
/// with the phases of `StaggeredArithmetic`. D^dag = -D. 1146 flops a site, (8 fat links x 18 + 8 third links x 18, 14,
/// 12, 10 or 8 + 6 in + 6 out) reals. Naik, Nucl. Phys. B 316 (1989) 238; Orginos, Toussaint and Sugar,
/// hep-lat/9903032.
struct ImprovedStencil {
  static constexpr const char* name = "improved_staggered";
  static constexpr int spins = 1;
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

  /// K = -D
  static constexpr double factor(bool dagger) { return dagger ? 1.0 : -1.0; }
  static constexpr double weight(int) { return 1.0; }
  double link_weight(int set) const { return set == 0 ? 1.0 : third_weight; }

  template <class V>
  using Arithmetic = StaggeredArithmetic<ImprovedStencil, V>;
  template <class V>
  Arithmetic<V> arithmetic(bool) const {
    return {};
  }

  // GPUs: as many teams as leave a thread the registers for one leg ahead, and for the sums and messages of several
  // right-hand sides. Registers and words that spill at most (sm_90, 18 and 14 reals, without halos):
  //   one right-hand side:  double 128, 34;  single 96, 6;   half 96, none
  //   several together:     double 168, 4;   single 128, 11; half 128, none
  // With 6 teams (80 registers) several in single spill 430.
  template <class T, class Code, int N>
  static constexpr unsigned teams_per_multiprocessor = std::is_same_v<T, double> ? (N == 1 ? 4 : 3) : (N == 1 ? 5 : 4);
  template <class T, class Code, int N>
  static constexpr int legs_ahead = N == 1 ? 1 : 0;
  /// Right-hand sides that a thread takes at once: they share a link, which is loaded and restored once.
  template <class V>
  static constexpr int together = sizeof(Scalar<V>) == 4 ? 4 : 2;
};

}  // namespace kaon::detail
