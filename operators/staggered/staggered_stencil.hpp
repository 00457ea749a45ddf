// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/staggered/staggered_arithmetic.hpp"

namespace kaon::detail {

/// The naive staggered stencil, on colour vectors:
///   D chi(x) = sum_mu eta_mu(x) [ U_mu(x) chi(x+mu) - U_mu(x-mu)^dag chi(x-mu) ],
/// with the phases of `StaggeredArithmetic`. D^dag = -D. 570 flops a site, (8 links x 18, 14, 12 or 8 + 6 in + 6 out)
/// reals. Kogut and Susskind, Phys. Rev. D 11 (1975) 395.
struct StaggeredStencil {
  static constexpr const char* name = "staggered";
  static constexpr int spins = 1;
  static constexpr auto legs = nearest_neighbors;
  using Codes = LinkCodeChoices<LinkCodes<FullLinks>, LinkCodes<TwoRowDeterminantLinks>, LinkCodes<TwoRowLinks>,
                                LinkCodes<MinimalLinks>>;

  /// K = -D
  static constexpr double factor(bool dagger) { return dagger ? 1.0 : -1.0; }
  static constexpr double weight(int) { return 1.0; }

  template <class V>
  using Arithmetic = StaggeredArithmetic<StaggeredStencil, V>;
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
