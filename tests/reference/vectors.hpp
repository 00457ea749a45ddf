// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <random>

#include "layout.hpp"

namespace kaon::reference {

/// The field 0.
Spinor zero_spinor(const Coordinates& extents);

/// 1 in one spin and colour of one site.
Spinor point_source(const Coordinates& site, int spin, int color, const Coordinates& extents);

/// psi on the sites of `parity`, 0 on the others, for any number of components a site.
Spinor restrict_to_parity(const Spinor& psi, int parity, const Coordinates& extents);

/// <a, b> = sum_i conj(a_i) b_i.
Complex dot(const Spinor& a, const Spinor& b);

/// sum_i |a_i|^2.
double norm2(const Spinor& a);

/// x + a y.
Spinor add(const Spinor& x, Complex a, const Spinor& y);

/// |a - b| / |b| in the L2 norm.
double relative_difference(const Spinor& a, const Spinor& b);

/// Normal numbers of variance 1 in every real and imaginary part, for any number of components a site.
Spinor random_vector(std::size_t size, std::mt19937_64& generator);

/// Gaussian elimination of M with partial pivoting.
struct Elimination {
  SiteMatrix factors;  ///< the reduced M above the diagonal, the factors of subtracted rows below
  std::array<std::size_t, site_components> pivots;  ///< the row with which row k changes places in step k
};
Elimination eliminate(SiteMatrix matrix);

/// The solution of M x = b.
SiteVector solve(const Elimination& of, SiteVector b);

/// M v.
SiteVector multiply(const SiteMatrix& matrix, const SiteVector& v);

/// M^dag.
SiteMatrix dagger(const SiteMatrix& matrix);

}  // namespace kaon::reference
