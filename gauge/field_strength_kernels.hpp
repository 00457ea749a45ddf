// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/near_links.hpp"
#include "gauge/su3.hpp"

namespace kaon::detail {

/// F_{mu nu}(x) = (1/(8i)) (Q - Q^dag), its trace left in (docs/conventions.md says why); Q is the sum of the four
/// leaves that start and end at x,
///   U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag
/// + U_nu(x) U_mu(x-mu+nu)^dag U_nu(x-mu)^dag U_mu(x-mu)
/// + U_mu(x-mu)^dag U_nu(x-mu-nu)^dag U_mu(x-mu-nu) U_nu(x-nu)
/// + U_nu(x-nu)^dag U_mu(x-nu) U_nu(x+mu-nu) U_mu(x)^dag.
/// Hermitian. 2442 flops. `link(direction, m, n)` is the link in that direction at x + m mu + n nu. Source: B.
/// Sheikholeslami and R. Wohlert, Nucl. Phys. B 259 (1985) 572.
template <class V, class Link>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> field_strength_of(const Link& link, int mu, int nu) {
  ColorMatrix<V> q = times_adjoint(link(mu, 0, 0) * link(nu, 1, 0), link(nu, 0, 0) * link(mu, 0, 1));
  q = q + times_adjoint(link(nu, 0, 0), link(mu, -1, 1)) * adjoint_times(link(nu, -1, 0), link(mu, -1, 0));
  q = q + adjoint_times(link(nu, -1, -1) * link(mu, -1, 0), link(mu, -1, -1) * link(nu, 0, -1));
  q = q + adjoint_times(link(nu, 0, -1), link(mu, 0, -1)) * times_adjoint(link(nu, 1, -1), link(mu, 0, 0));
  ColorMatrix<V> f;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const Complex<V> difference = q.e[row][column] - conj(q.e[column][row]);
      f.e[row][column] = {V(0.125) * difference.im, V(-0.125) * difference.re};
    }
  }
  return f;
}

/// F of the links of `with_near_links`.
template <class Links>
KOKKOS_INLINE_FUNCTION ColorMatrix<double> field_strength(const Links& links, const int (&x)[4], int mu, int nu) {
  const auto link = [&](int direction, int steps_mu, int steps_nu) {
    int site[4] = {x[0], x[1], x[2], x[3]};
    if (steps_mu != 0) links.map.shift(site, mu, steps_mu);
    if (steps_nu != 0) links.map.shift(site, nu, steps_nu);
    return links.load(site, direction);
  };
  return field_strength_of<double>(link, mu, nu);
}

/// F of `NearLinks` and `GhostNearLinks`, in their lanes.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION ColorMatrix<V> near_field_strength(const Links& links, const typename Links::Reached& x, int mu,
                                                          int nu) {
  const auto link = [&](int direction, int steps_mu, int steps_nu) {
    auto site = x;
    if (steps_mu != 0) site = links.step(site, mu, steps_mu);
    if (steps_nu != 0) site = links.step(site, nu, steps_nu);
    return links.load(site, direction);
  };
  return field_strength_of<V>(link, mu, nu);
}

}  // namespace kaon::detail
