// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <complex>
#include <vector>

namespace kaon {

/// (1/3) Re Tr of the plaquettes, averaged over all sites and some planes: 1 on a unit gauge field.
struct Plaquette {
  double average;   ///< all six planes
  double spatial;   ///< xy, xz, yz
  double temporal;  ///< xt, yt, zt
};

/// P_{mu nu}(x) = U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag, averaged. Collective; the digits do not depend on
/// lanes and threads. 2484 flops per site (two products and a trace of a product in each plane).
template <class T>
Plaquette plaquette(const GaugeField<T>& links);

/// (1/3) Tr U_mu(x), averaged over all sites and directions: 1 on a unit gauge field. Collective.
template <class T>
std::complex<double> link_trace(const GaugeField<T>& links);

/// L_mu = (1/3) Tr prod_{n=0}^{N-1} U_mu(x + n mu), N the extent in direction mu, averaged over the sites x with
/// x_mu = 0: 1 on a unit gauge field. The Polyakov loop is that of mu = 3. Links are periodic: no boundary condition of
/// fermions enters, so that codes with the sign of antiperiodic fermions in their links have -L_3.
///
/// Collective; where processes share direction mu, products go from one to the next. The digits do not depend on lanes
/// and threads. 198 flops a link. Throws `Error` for compressed links and for a direction that is none of 0 to 3.
template <class T>
std::complex<double> polyakov_loop(const GaugeField<T>& links, int mu = 3);

/// Energy density and topological charge of a gauge field, by the clover-leaf field strength F of
/// kaon/gauge/field_strength.hpp.
struct CloverObservables {
  double energy;           ///< E, all six planes
  double spatial_energy;   ///< xy, xz, yz
  double temporal_energy;  ///< xt, yt, zt
  double charge;           ///< Q, of the whole lattice
};

/// E = (1/V) sum_x sum_{mu<nu} tr G_{mu nu}(x)^2 with G = F - (1/3) tr F, averaged over the V sites, and Q = sum_x q(x)
/// with
///
///   q = (1/(4 pi^2)) Re tr (F_xy F_zt - F_xz F_yt + F_yz F_xt) = (1/(32 pi^2)) sum eps_{mu nu rho sigma} tr F F,
///
/// eps_{xyzt} = 1, the trace of F left in: both 0 on a unit gauge field. E is Luescher's (1/4) F^a F^a and QUDA's
/// `energy`, Q its `qcharge`. Links are periodic; no boundary phases enter.
///
/// Collective; the digits do not depend on threads, and on lanes to rounding. 15.7 kflop a site, nearly all of them for
/// F. Links in single precision are copied, and measured in double. Throws `Error` for compressed links. Source:
/// arXiv:1006.4518, section 2.
template <class T>
CloverObservables clover_observables(const GaugeField<T>& links);

/// q(x) on the sites of this process, [t][z][y][x]. Collective. Throws `Error` for compressed links.
template <class T>
std::vector<double> topological_charge_density(const GaugeField<T>& links);

}  // namespace kaon
