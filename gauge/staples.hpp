// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/near_links.hpp"
#include "gauge/su3.hpp"

namespace kaon::detail {

// The arithmetic is in functions of their own, which links that are read in different ways share: compilers join
// products and sums in each function as they like, and an ensemble must not depend on how its lattice is cut.

/// sum += a[0] a[1] a[2]^dag + b[0]^dag b[1] b[2], row by row: a row of the products remains in registers.
template <class V>
KAON_KERNEL_PART void add_staples(ColorMatrix<V>& sum, const ColorMatrix<V> (&a)[3], const ColorMatrix<V> (&b)[3]) {
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    Complex<V> sum_row[3], product[3];
    KAON_UNROLL
    for (int c = 0; c < 3; ++c) {
      product[c] = a[0].e[row][0] * a[1].e[0][c];
      multiply_add(product[c], a[0].e[row][1], a[1].e[1][c]);
      multiply_add(product[c], a[0].e[row][2], a[1].e[2][c]);
    }
    KAON_UNROLL
    for (int c = 0; c < 3; ++c) {
      sum_row[c] = sum.e[row][c];
      KAON_UNROLL
      for (int k = 0; k < 3; ++k) conj_multiply_add(sum_row[c], a[2].e[c][k], product[k]);
    }
    KAON_UNROLL
    for (int c = 0; c < 3; ++c) {
      product[c] = conj(b[0].e[0][row]) * b[1].e[0][c];
      conj_multiply_add(product[c], b[0].e[1][row], b[1].e[1][c]);
      conj_multiply_add(product[c], b[0].e[2][row], b[1].e[2][c]);
    }
    KAON_UNROLL
    for (int c = 0; c < 3; ++c) {
      KAON_UNROLL
      for (int k = 0; k < 3; ++k) multiply_add(sum_row[c], product[k], b[2].e[k][c]);
      sum.e[row][c] = sum_row[c];
    }
  }
}

/// Matrices of a field that are stored with a number.
template <class Links>
struct Numbered {
  const Links& field;
  int number;

  KOKKOS_INLINE_FUNCTION auto load(const typename Links::Reached& at) const { return field.load(at, number); }
};

/// sum += Y(x) X(x+nu) Z(x+mu)^dag + Y(x-nu)^dag X(x-nu) Z(x-nu+mu), with x + mu given. 828 flops.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION void add_staple_between(ColorMatrix<V>& sum, const Numbered<Links>& y, const Numbered<Links>& x,
                                               const Numbered<Links>& z, const typename Links::Reached& at,
                                               const typename Links::Reached& ahead, int nu) {
  const auto behind = x.field.step(at, nu, -1);
  add_staples(sum, {y.load(at), x.load(x.field.step(at, nu, +1)), z.load(ahead)},
              {y.load(behind), x.load(behind), z.load(x.field.step(ahead, nu, -1))});
}

/// sum += S_nu(X)(x) = U_nu(x) X(x+nu) U_nu(x+mu)^dag + U_nu(x-nu)^dag X(x-nu) U_nu(x-nu+mu), with x + mu given. X is
/// the matrix number `number` of `field`, which is `links` itself where X = U_mu.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION void add_staple(ColorMatrix<V>& sum, const Links& links, const Links& field, int number,
                                       const typename Links::Reached& x, const typename Links::Reached& ahead, int nu) {
  add_staple_between<Links>(sum, {links, nu}, {field, number}, {links, nu}, x, ahead, nu);
}

/// sum += B_nu(Y, X)(x), with x + nu given: a change dU_nu changes Re tr(Y^dag S_nu(X)), summed over sites, by
/// Re tr(B_nu^dag dU_nu),
///
///   B_nu(Y, X)(x) = Y(x) U_nu(x+mu) X(x+nu)^dag + Y(x-mu)^dag U_nu(x-mu) X(x-mu+nu) + (X <-> Y).
///
/// 1656 flops.
template <class Links, class V = typename Links::Value>
KOKKOS_INLINE_FUNCTION void add_staple_adjoint(ColorMatrix<V>& sum, const Links& links, const Numbered<Links>& y,
                                               const Numbered<Links>& x, const typename Links::Reached& at,
                                               const typename Links::Reached& ahead, int mu, int nu) {
  add_staple_between<Links>(sum, y, {links, nu}, x, at, ahead, mu);
  add_staple_between<Links>(sum, x, {links, nu}, y, at, ahead, mu);
}

}  // namespace kaon::detail
