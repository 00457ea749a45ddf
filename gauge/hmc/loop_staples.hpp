// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/near_fields.hpp"
#include "gauge/staggered/fat_link_kernels.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/loop_action.hpp>

namespace kaon::detail {

// The staples of loops around links, for kernels over the sites of both parities, as in fat_link_kernels.hpp. Staples
// of a direction that is `omitted` do not count. Staples in time count `time` = xi^2 times: kernels sum C / xi^2,
// where staples in space have the weight 1/xi^2, in one sum, which fits into the registers of GPUs.

/// sum = sum / xi^2 before staples in time are added, which come last.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void before_staple(ColorMatrix<V>& sum, int nu, double time) {
  if (nu == 3 && time != 1.0) scale(sum, 1.0 / time);
}

/// The staples C_mu of plaquettes, without weight, divided by xi^2. 2484 flops.
template <class LinksOf>
struct PlaquetteStaples {
  using Links = LinksOf;
  using V = typename Links::Value;
  static constexpr int directions = 4;  ///< in one pass
  Links links;
  int omitted;
  double time;

  KOKKOS_FORCEINLINE_FUNCTION int direction(int number) const { return number; }
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& x,
                                                   const typename Links::Reached& ahead, int mu) const {
    ColorMatrix<V> sum = zero_matrix<V>();
    for (int nu = 0; nu < 4; ++nu) {
      before_staple(sum, nu, time);
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

/// c_0 C_mu + c_1 times the paths of rectangles, divided by xi^2 if there are some in time, and a multiple of U_mu,
/// which traceless parts of C U^dag do not contain: with X_nu = S_nu(U_mu) (`FirstStaples`) and W_nu the rectangles and
/// 6 U_mu for each nu are
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
  double time;

  KOKKOS_FORCEINLINE_FUNCTION int direction(int) const { return mu; }
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& at,
                                                   const typename Links::Reached& ahead, int) const {
    const DirectionsAcross across{mu};
    ColorMatrix<V> sum = zero_matrix<V>();
    for (int n = 0; n < 3; ++n) {
      const int nu = across.direction(n);
      if (nu == omitted) continue;
      before_staple(sum, nu, time);
      const Numbered<Links> along{links, mu}, side{links, nu}, wide{w, n};
      add_staple_between(sum, side, {x, n}, side, at, ahead, nu);
      add_staple_between(sum, side, along, wide, at, ahead, nu);
      add_staple_between(sum, wide, along, side, at, ahead, nu);
    }
    scale(sum, weights.rectangle);
    for (int n = 0; n < 3; ++n) {
      const int nu = across.direction(n);
      if (nu != omitted) add_multiple(sum, nu == 3 ? weights.plaquette : weights.plaquette / time, x.load(at, n));
    }
    return sum;
  }
};

/// Calls body(staples, weight) for kernels that need the staples C: C is `weight` times the result of `staples`. Once
/// for all directions, or for one direction after the other if there are rectangles. Collective.
template <class Body>
void for_staples(const GaugeField<double>& links, const LoopWeights& weights, int omitted, const Body& body,
                 double time = 1.0) {
  const Lattice& lattice = links.lattice();
  with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    if (weights.rectangle == 0.0) {
      body(PlaquetteStaples<Access>{u.access(), omitted, time}, weights.plaquette * time);
      return;
    }
    Matrices x(lattice, 3), w(lattice, 3);
    for (int mu = 0; mu < directions; ++mu) {
      run_near("kaon::first_staples", lattice,
               FirstStaples<Access>{u.access().node, x.access(), u.access(), u.access(), mu});
      x.exchange();
      run_near("kaon::staples_across", lattice, StaplesAcross<Access>{u.access().node, w.access(), u.access(), mu});
      w.exchange();
      const double across = mu == 3 ? 1.0 : time;  // staples of links in time are in space
      body(RectangleStaples<Access>{u.access(), x.access(), w.access(), weights, mu, omitted, across}, across);
    }
  });
}

}  // namespace kaon::detail
