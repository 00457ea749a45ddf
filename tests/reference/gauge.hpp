// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "su3.hpp"

namespace kaon::reference {

/// The product of links along a path from `site`: step +1..+4 goes forward in x..t, -1..-4 backward.
ColorMatrix path_product(const Links& links, Coordinates site, const std::vector<int>& steps,
                         const Coordinates& extents);

/// P_munu(x) = U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag.
ColorMatrix plaquette_at(const Links& links, const Coordinates& site, int mu, int nu, const Coordinates& extents);

/// (1/3) Re Tr P_munu(x), averaged over all sites and the six planes: 1 on unit links.
double plaquette(const Links& links, const Coordinates& extents);

/// (1/3) Tr of the product of all links of a line in direction mu, averaged over these lines: the Polyakov loop for
/// mu = 3.
Complex polyakov_loop(const Links& links, int mu, const Coordinates& extents);

/// (1/3) Re Tr U_mu(x), averaged over all sites and directions.
double link_trace(const Links& links);

/// The mean link in each direction: (1/3) Re Tr U_mu(x), averaged over all sites.
std::array<double, directions> link_trace_by_direction(const Links& links);

/// A gauge transformation: one SU(3) matrix g(x) a site.
using GaugeTransformation = std::vector<ColorMatrix>;

/// Haar-distributed g(x), independent at every site.
GaugeTransformation random_gauge_transformation(const Coordinates& extents, std::mt19937_64& generator);

/// U_mu(x) -> g(x) U_mu(x) g(x + step mu)^dag.
Links transform_links(const Links& links, const GaugeTransformation& g, const Coordinates& extents, int step = 1);

/// psi(x) -> g(x) psi(x).
Spinor transform_spinor(const Spinor& psi, const GaugeTransformation& g, const Coordinates& extents);

/// U_mu(x) psi(x + mu) for step = 1, U_mu(x - mu)^dag psi(x - mu) for step = -1.
Spinor covariant_shift(const Spinor& psi, const Links& links, int mu, int step, const Coordinates& extents);

/// Q_munu(x): the sum of the four plaquette leaves that start and end at x, all turning from mu to nu,
///   U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag
/// + U_nu(x) U_mu(x-mu+nu)^dag U_nu(x-mu)^dag U_mu(x-mu)
/// + U_mu(x-mu)^dag U_nu(x-mu-nu)^dag U_mu(x-mu-nu) U_nu(x-nu)
/// + U_nu(x-nu)^dag U_mu(x-nu) U_nu(x+mu-nu) U_mu(x)^dag.
ColorMatrix clover_leaves(const Links& links, const Coordinates& site, int mu, int nu, const Coordinates& extents);

/// F_munu(x) = (1/(8i)) (Q_munu - Q_munu^dag): Hermitian, antisymmetric in mu and nu, for links exp(i A) the field
/// strength d_mu A_nu - d_nu A_mu + ... with this sign. Its trace is left in, as in Chroma, MILC and QUDA: propagators
/// of these codes solve the equation with the trace to 1e-12, and without it only to 1e-5 on smooth and 1e-2 on rough
/// fields. Source: B. Sheikholeslami and R. Wohlert, Nucl. Phys. B 259 (1985) 572.
ColorMatrix field_strength(const Links& links, const Coordinates& site, int mu, int nu, const Coordinates& extents);

}  // namespace kaon::reference
