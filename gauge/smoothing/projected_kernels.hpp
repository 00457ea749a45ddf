// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/hmc/loop_staples.hpp"
#include "gauge/nearest_su3.hpp"

namespace kaon::detail {

// Steps of smearing that project sums of paths, each over the sites of both parities, as in fat_link_kernels.hpp.

/// P[(1 - alpha) U + (alpha/paths) sum], as P[...U^dag] U: determinants that U has remain. 4200 flops.
template <class V>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> blended(const ColorMatrix<V>& u, double alpha, const ColorMatrix<V>& sum,
                                              double paths) {
  ColorMatrix<V> v = zero_matrix<V>();
  add_multiple(v, alpha / paths, times_adjoint(sum, u));
  for (int color = 0; color < 3; ++color) v.e[color][color].re = v.e[color][color].re + V(1.0 - alpha);
  return nearest_su3(v) * u;
}

/// All four links of a site, except for the omitted direction, which is copied. `smeared(site, ahead, mu)` is the new
/// link.
template <class Smeared>
struct ProjectedStep {
  using Links = typename Smeared::Links;
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  NearLinks<double, V> out;
  Smeared smeared;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Links& links = smeared.links;
    for (int n = first; n < last; ++n) {
      const int parity = n / 4, mu = n % 4;
      const auto site = links.start(index, parity);
      const ColorMatrix<V> u =
          mu == smeared.omitted ? links.load(site, mu) : smeared(site, links.step(site, mu, +1), mu);
      out.store(u, out.start(index, parity), mu);
    }
  }
};

/// The staples of a link, C / xi^2, whose `paths` are six, or four without those in the omitted direction.
template <class Links>
struct ApeLinks : PlaquetteStaples<Links> {
  using typename PlaquetteStaples<Links>::V;
  double alpha, paths;

  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& x,
                                                   const typename Links::Reached& ahead, int mu) const {
    const ColorMatrix<V> sum = PlaquetteStaples<Links>::operator()(x, ahead, mu);
    return blended(this->links.load(x, mu), alpha, sum, paths / this->time);
  }
};

// Hypercubic blocking. Matrices of two directions mu and nu have the number 3 mu + (nu among the directions across mu).

/// Matrices on each site of its levels.
inline constexpr int hyp_matrices = 12;

KOKKOS_FORCEINLINE_FUNCTION int pair_number(int mu, int nu) { return 3 * mu + nu - (nu > mu); }

/// sum += the staples in direction nu of the matrices (mu, a) between the matrices (nu, b).
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION void add_staple_of_pairs(ColorMatrix<V>& sum, const Links& field, int mu, int a, int nu, int b,
                                                const typename Links::Reached& x,
                                                const typename Links::Reached& ahead) {
  const Numbered<Links> side{field, pair_number(nu, b)};
  add_staple_between(sum, side, {field, pair_number(mu, a)}, side, x, ahead, nu);
}

/// First level, (mu, eta): the links of direction mu with the staples in direction eta.
template <class Links>
struct HypFirst {
  using V = typename Links::Value;
  static constexpr int calls = 2 * hyp_matrices;
  SubLattice node;
  Links first, links;
  double alpha;
  int omitted;

  KOKKOS_FUNCTION void operator()(const int index, const int first_call, const int last_call) const {
    for (int n = first_call; n < last_call; ++n) {
      const int number = n % hyp_matrices, mu = number / 3, eta = DirectionsAcross{mu}.direction(number % 3);
      if (mu == omitted || eta == omitted) continue;
      const auto site = links.start(index, n / hyp_matrices);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_staple(sum, links, links, mu, site, links.step(site, mu, +1), eta);
      first.store(blended(links.load(site, mu), alpha, sum, 2), site, number);
    }
  }
};

/// Second level, (mu, nu): staples of the first in the two directions across mu and nu, each without the other one.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> hyp_second(const Links& links, const Links& first, double alpha, int mu, int nu,
                                                 const typename Links::Reached& x,
                                                 const typename Links::Reached& ahead) {
  ColorMatrix<V> sum = zero_matrix<V>();
  for (int rho = 0; rho < 4; ++rho) {
    if (rho == mu || rho == nu) continue;
    const int eta = 6 - mu - nu - rho;
    add_staple_of_pairs(sum, first, mu, eta, rho, eta, x, ahead);
  }
  return blended(links.load(x, mu), alpha, sum, 4);
}

template <class Links>
struct HypSecond {
  using V = typename Links::Value;
  static constexpr int calls = 2 * hyp_matrices;
  SubLattice node;
  Links second, links, first;
  double alpha;

  KOKKOS_FUNCTION void operator()(const int index, const int first_call, const int last_call) const {
    for (int n = first_call; n < last_call; ++n) {
      const int number = n % hyp_matrices, mu = number / 3, nu = DirectionsAcross{mu}.direction(number % 3);
      const auto site = links.start(index, n / hyp_matrices);
      second.store(hyp_second(links, first, alpha, mu, nu, site, links.step(site, mu, +1)), site, number);
    }
  }
};

/// The last level in three directions: the second of four, without staples in the omitted direction.
template <class LinksOf>
struct HypLinksInThree {
  using Links = LinksOf;
  using V = typename Links::Value;
  Links links, first;
  double alpha;
  int omitted;

  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& x,
                                                   const typename Links::Reached& ahead, int mu) const {
    return hyp_second(links, first, alpha, mu, omitted, x, ahead);
  }
};

/// The last level in four.
template <class LinksOf>
struct HypLinks {
  using Links = LinksOf;
  using V = typename Links::Value;
  Links links, second;
  double alpha;
  int omitted;  ///< none

  KOKKOS_INLINE_FUNCTION ColorMatrix<V> operator()(const typename Links::Reached& x,
                                                   const typename Links::Reached& ahead, int mu) const {
    ColorMatrix<V> sum = zero_matrix<V>();
    for (int nu = 0; nu < 4; ++nu) {
      if (nu != mu) add_staple_of_pairs(sum, second, mu, nu, nu, mu, x, ahead);
    }
    return blended(links.load(x, mu), alpha, sum, 6);
  }
};

}  // namespace kaon::detail
