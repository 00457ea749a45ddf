// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/fat_link_kernels.hpp"
#include "gauge/su3_exponential.hpp"

#include <kaon/gauge/loop_weights.hpp>

namespace kaon::detail {

// The passes of `exponential_stage`, each over the sites of both parities, as in fat_link_kernels.hpp. Staples of a
// direction that is `omitted` do not count.

/// The staples C_mu of plaquettes, without weight. 2484 flops.
template <class LinksOf>
struct PlaquetteStaples {
  using Links = LinksOf;
  using V = typename Links::Value;
  static constexpr int directions = 4;  ///< in one pass
  Links links;
  int omitted;

  KOKKOS_FORCEINLINE_FUNCTION int direction(int number) const { return number; }
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& x,
                                                   const typename Links::Reached& ahead, int mu) const {
    ColorMatrix<V> sum = zero_matrix<V>();
    for (int nu = 0; nu < 4; ++nu) {
      if (nu != mu && nu != omitted) add_staple(sum, links, links, mu, x, ahead, nu);
    }
    return sum;
  }
};

/// W_nu = S_mu(U_nu), the staples in direction mu. 828 flops.
template <class Links>
struct StaplesAcross {
  using V = typename Links::Value;
  static constexpr int calls = 6;
  SubLattice node;
  Links w, links;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int n = first; n < last; ++n) {
      const int nu = across.direction(n % 3);
      const auto site = links.start(index, n / 3);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_staple(sum, links, links, nu, site, links.step(site, nu, +1), mu);
      w.store(sum, site, n % 3);
    }
  }
};

/// c_0 C_mu + c_1 times the paths of rectangles, and a multiple of U_mu, which traceless parts of C U^dag do not
/// contain: with X_nu = S_nu(U_mu) (`FirstStaples`) and W_nu the rectangles and 6 U_mu for each nu are
///
///   S_nu(X_nu) + U_nu(x) U_mu(x+nu) W_nu(x+mu)^dag + W_nu(x) U_mu(x+nu) U_nu(x+mu)^dag
///              + U_nu(x-nu)^dag U_mu(x-nu) W_nu(x-nu+mu) + W_nu(x-nu)^dag U_mu(x-nu) U_nu(x-nu+mu).
///
/// 7600 flops.
template <class LinksOf>
struct RectangleStaples {
  using Links = LinksOf;
  using V = typename Links::Value;
  static constexpr int directions = 1;
  Links links, x, w;
  LoopWeights weights;
  int mu, omitted;

  KOKKOS_FORCEINLINE_FUNCTION int direction(int) const { return mu; }
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& at,
                                                   const typename Links::Reached& ahead, int) const {
    const DirectionsAcross across{mu};
    // One sum alone, which then fits into the registers of GPUs.
    ColorMatrix<V> sum = zero_matrix<V>();
    for (int n = 0; n < 3; ++n) {
      const int nu = across.direction(n);
      if (nu == omitted) continue;
      const Numbered<Links> along{links, mu}, side{links, nu}, wide{w, n};
      add_staple_between(sum, side, {x, n}, side, at, ahead, nu);
      add_staple_between(sum, side, along, wide, at, ahead, nu);
      add_staple_between(sum, wide, along, side, at, ahead, nu);
    }
    for (auto& row : sum.e) {
      for (auto& element : row) element = V(weights.rectangle) * element;
    }
    for (int n = 0; n < 3; ++n) {
      if (across.direction(n) != omitted) add_multiple(sum, weights.plaquette, x.load(at, n));
    }
    return sum;
  }
};

/// P = gain TA(C U^dag) + keep P', out = exp(P) U. Links of the omitted direction are copied. 1100 flops and those of
/// C.
template <class Staples>
struct ExponentialStep {
  using Links = typename Staples::Links;
  using V = typename Links::Value;
  static constexpr int calls = 2 * Staples::directions;
  SubLattice node;
  NearLinks<double, V> out;
  NearLinks<double, V> before, after;  ///< P' and P; not touched where keep = 0 and where P is not `stored`
  Staples staples;
  double gain, keep;
  bool stored;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Links& links = staples.links;
    for (int n = first; n < last; ++n) {
      const int parity = n / Staples::directions, mu = staples.direction(n % Staples::directions);
      const auto site = links.start(index, parity);
      const auto here = out.start(index, parity);
      const ColorMatrix<V> u = links.load(site, mu);
      if (mu == staples.omitted) {
        out.store(u, here, mu);
        continue;
      }
      ColorMatrix<V> p = zero_matrix<V>();
      add_multiple(p, gain, traceless_antihermitian(times_adjoint(staples(site, links.step(site, mu, +1), mu), u)));
      if (keep != 0.0) add_multiple(p, keep, before.load(here, mu));
      if (stored) after.store(p, here, mu);
      out.store(exponential(p) * u, here, mu);
    }
  }
};

}  // namespace kaon::detail
