// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>

#include <array>

namespace kaon {

struct CloverParameters {
  double diagonal = 0.0;  ///< d, added to the diagonal: 4 + m makes A the whole site term of Wilson-clover
  double spatial = 0.0;   ///< c of the planes xy, xz, yz: c_sw on an isotropic lattice
  double temporal = 0.0;  ///< c of the planes xt, yt, zt: c_sw on an isotropic lattice
};

/// d + A(x), A(x) = -(1/2) sum_{mu<nu} c_{mu nu} sigma_{mu nu} F_{mu nu}(x), with F as in `FieldStrength`. Worked out
/// in double and rounded once. Fermion boundary phases do not enter. About 15200 flops per site. Source: B.
/// Sheikholeslami and R. Wohlert, Nucl. Phys. B 259 (1985) 572.
template <class T>
CloverField<T> make_clover(const GaugeField<T>& links, const CloverParameters& parameters);

/// d exp(C/d - 1) of every block C of `clover`, d + A of `make_clover` with this diagonal: the site term of exponential
/// clover quarks, which equals C to first order in A (Francis, Fritzsch, Luescher and Rago, arXiv:1911.04533). Its
/// determinant is d^6. Worked out in double and rounded once; about 24000 flops a block. Throws `Error` where d is zero
/// or no number.
template <class T>
CloverField<T> exponential_clover(const CloverField<T>& clover, double diagonal);
/// Its inverse, exp(1 - C/d)/d.
template <class T>
CloverField<T> exponential_clover_inverse(const CloverField<T>& clover, double diagonal);

/// The inverse of every block on the sites of `subset`, worked out in double and rounded once. Throws `Error`, naming
/// the first such site, where a block has no inverse and where `clover` does not hold the subset. Collective.
template <class T>
CloverField<T> invert_clover(const CloverField<T>& clover, Subset subset);

/// (C^2 + twist^2)^-1 of every block C, on the same terms: what the inverse of C + i twist gamma5 is made of,
/// (C - i twist gamma5) (C^2 + twist^2)^-1.
template <class T>
CloverField<T> invert_clover_norm(const CloverField<T>& clover, double twist, Subset subset);
/// Computes the inverse on all sites with one twist for even sites and one for odd ones.
template <class T>
CloverField<T> invert_clover_norm(const CloverField<T>& clover, const std::array<double, 2>& twists);
/// (C^2 + shift)^-1 of every block C on all sites, with a shift of either sign: mu^2 - epsilon^2 of a doublet. Throws
/// `Error`, too, where C^2 + shift is not positive.
template <class T>
CloverField<T> invert_clover_square(const CloverField<T>& clover, double shift);

/// sum_x ln |det C(x)| over the sites of each parity.
struct LogDeterminants {
  double even, odd;
};

/// Log determinants of the blocks C of a field, over all processes, computed in double: the site terms' part of the
/// action of even-odd preconditioned clover fermions. The digits do not depend on lanes and threads. Throws `Error` for
/// a block without an inverse. Collective.
template <class T>
LogDeterminants log_determinants(const CloverField<T>& clover);

/// factor C, a field of its own.
template <class T>
CloverField<T> scaled(const CloverField<T>& clover, double factor);

}  // namespace kaon
