// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/coarse_links.hpp"

namespace kaon::detail {

/// inverse = X^-1 at each site, one n x n matrix a site, by Gauss-Jordan elimination with partial pivoting, in double.
/// If no pivot is larger than the rounding errors of X in T, `inverse` is 1 at the site. Returns the number of such
/// sites on this process. Waits.
template <class T>
int invert_site_matrices(CoarseMatrices<T, T>& inverse, const CoarseMatrices<T, T>& x, const Lattice& lattice,
                         int components);

}  // namespace kaon::detail
