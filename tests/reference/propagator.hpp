// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "wilson.hpp"

namespace kaon::reference {

/// Result of a solve.
struct Solution {
  Spinor x;
  int iterations;
  /// |b - M x| / |b|, recomputed at the end.
  double relative_residual;
};

/// Solves M x = b by conjugate gradients on M^dag M x = M^dag b from x = 0, until |M^dag (b - M x)| <= tolerance |M^dag
/// b| by the iterated residual or `max_iterations` are done. Source: M. R. Hestenes and E. Stiefel, J. Res. Nat. Bur.
/// Standards 49 (1952) 409.
Solution solve_cgne(const WilsonOperator& op, const Spinor& b, double tolerance = 1e-12, int max_iterations = 1000);

/// Twelve spinor fields, one a source spin and colour: column 3 spin + colour.
using Propagator = std::vector<Spinor>;

/// Point sources at `site`.
Propagator point_sources(const Coordinates& site, const Coordinates& extents);

/// M^-1 of each column. Throws std::runtime_error where the true residual exceeds 100 `tolerance`.
Propagator solve(const WilsonOperator& op, const Propagator& sources, double tolerance = 1e-12);

/// C(d) = sum over the sites with coordinate (origin + d) in `direction` of |S|^2, over all spins and colours:
/// for direction t and a point source at t = origin this is the pion correlator.
std::vector<double> correlator(const Propagator& propagator, int direction, int origin, const Coordinates& extents);

/// Spatial gauge-covariant smearing: N times chi <- chi + (w^2/(4N)) (H - 6) chi,
/// H chi(x) = sum_{mu = x, y, z} U_mu(x) chi(x+mu) + U_mu(x-mu)^dag chi(x-mu), periodic.
/// It approaches exp((w^2/4) Laplacian). Source: S. Guesken, Nucl. Phys. B (Proc. Suppl.) 17 (1990) 361; width and
/// number of steps as Chroma defines them.
Spinor gaussian_smear(const Spinor& psi, const Links& links, double width, int steps, const Coordinates& extents);
/// Smears over two links: N times chi <- chi + (w^2/(16N)) (H - 2 D) chi, H chi(x) = sum_{mu <= D} U_mu(x) U_mu(x+mu)
/// chi(x+2mu) + U_mu(x-mu)^dag U_mu(x-2mu)^dag chi(x-2mu), periodic.
Spinor two_link_smear(const Spinor& psi, const Links& links, double width, int steps, int dimensions,
                      const Coordinates& extents);

/// For each t: the sum over x of f_0 f_1 f_2 f_3 conj(psi(x)) phi(x) over the components of both, with f_mu = exp(i a),
/// cos a or i sin a by `kind` 0, 1, 2, a = 2 pi mode_mu (x - source)_mu/L_mu.
std::vector<Complex> momentum_products(const Spinor& psi, const Spinor& phi, const Coordinates& mode,
                                       const Coordinates& kind, const Coordinates& source, const Coordinates& extents);

/// Spin-taste operator of staggered fields as in MILC and QUDA, on each of four spins; gamma matrices by the bits
/// 1, 2, 4, 8 for x to t. A sum over ordered products of symmetric shifts, written down term by term.
Spinor spin_taste(const Spinor& psi, const Links& links, int spin, int taste, const Coordinates& extents);

}  // namespace kaon::reference
