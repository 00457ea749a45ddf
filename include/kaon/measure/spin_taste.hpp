// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

namespace kaon {

/// Products of gamma matrices by the bits 1, 2, 4, 8 of a number for gamma_x, gamma_y, gamma_z, gamma_t: 0 is 1, 3 is
/// gamma_x gamma_y, 15 is gamma5.
struct SpinTaste {
  int spin = 0;
  int taste = 0;
};

/// Interpolating operators of staggered mesons, gamma_S x xi_T, as MILC's and QUDA's programs have them: n = 0 to 4
/// directions, those in which spin and taste differ,
///
///   out(x) = s_15(x)/(2^n n!) sum_p sgn(p) E_p(n) ... E_p(1) s_S(x) in(x),
///   E_mu chi(x) = s_mu(x) [ U_mu(x) chi(x+mu) + U_mu(x-mu)^dag chi(x-mu) ],
///   s_G(x) = (-1)^(sum of x_mu over the directions of G, or over the others where G has 1 or 3),
///
/// p the orders of the directions, sgn(p) = 1 for even ones of three and four; of two, 1 where y comes before x, z
/// before y, x before z, and t before each. s_15 belongs to the antiquark. Links hold the
/// staggered phases, so that E_mu is 1 x xi_mu, and the signs of boundary conditions. Any number of spins and
/// right-hand sides, each alike.
///
/// At most 96 sums of two shifts. Throws `Error` for numbers other than 0 to 15, for `out` that is `in`, for fields on
/// one parity, of two shapes or not on the lattice of the links, and as `covariant_sum` does. Source: M. Golterman,
/// Nucl. Phys. B 273 (1986) 663.
template <class T>
void apply_spin_taste(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links,
                      const SpinTaste& spin_taste);

}  // namespace kaon
