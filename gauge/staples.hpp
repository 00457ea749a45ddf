// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/near_links.hpp"
#include "gauge/su3.hpp"

namespace kaon::detail {

// The arithmetic stands in functions of their own, which links that are read in different ways share: compilers join
// products and sums in each function as they like, and an ensemble must not depend on how its lattice is cut.

/// sum += a[0] a[1] a[2]^dag + b[0]^dag (b[1] b[2])
template <class V>
KAON_KERNEL_PART void add_staples(ColorMatrix<V>& sum, const ColorMatrix<V> (&a)[3], const ColorMatrix<V> (&b)[3]) {
  sum = sum + times_adjoint(a[0] * a[1], a[2]);
  sum = sum + adjoint_times(b[0], b[1] * b[2]);
}

/// sum += S_nu(X)(x) = U_nu(x) X(x+nu) U_nu(x+mu)^dag + U_nu(x-nu)^dag X(x-nu) U_nu(x-nu+mu), with x + mu given. X is
/// the matrix number `number` of `field`, which is `links` itself where X = U_mu. 828 flops.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION void add_staple(ColorMatrix<V>& sum, const Links& links, const Links& field, int number,
                                       const typename Links::Reached& x, const typename Links::Reached& ahead, int nu) {
  const auto behind = links.step(x, nu, -1);
  add_staples(sum, {links.load(x, nu), field.load(links.step(x, nu, +1), number), links.load(ahead, nu)},
              {links.load(behind, nu), field.load(behind, number), links.load(links.step(ahead, nu, -1), nu)});
}

}  // namespace kaon::detail
