// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layout.hpp"

namespace kaon::reference {

/// A 4x4 matrix on spin, [row][column].
using SpinMatrix = std::array<std::array<Complex, spins>, spins>;

SpinMatrix operator*(const SpinMatrix& a, const SpinMatrix& b);
SpinMatrix operator+(const SpinMatrix& a, const SpinMatrix& b);
SpinMatrix operator*(Complex a, const SpinMatrix& b);
SpinMatrix dagger(const SpinMatrix& a);
SpinMatrix identity_spin_matrix();

/// Largest |a_ij - b_ij|.
double max_difference(const SpinMatrix& a, const SpinMatrix& b);

/// gamma_mu, mu = x, y, z, t, in the DeGrand-Rossi basis: with the Pauli matrices s1, s2, s3 in 2x2 blocks,
/// g_x = [[0, i s1], [-i s1, 0]], g_y = [[0, -i s2], [i s2, 0]], g_z = [[0, i s3], [-i s3, 0]], g_t = [[0, 1], [1, 0]].
SpinMatrix gamma(int mu);

/// gamma_5 = g_x g_y g_z g_t, multiplied out. In this basis it is diag(+1, +1, -1, -1).
SpinMatrix gamma5();

/// sigma_munu = (i/2) [g_mu, g_nu].
SpinMatrix sigma(int mu, int nu);

/// Spin matrix times the spin index of a site's spinor.
SiteVector multiply(const SpinMatrix& matrix, const SiteVector& v);

/// Spin matrix times a spinor field, site by site.
Spinor multiply(const SpinMatrix& matrix, const Spinor& psi);

}  // namespace kaon::reference
