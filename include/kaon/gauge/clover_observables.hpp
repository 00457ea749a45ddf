// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <vector>

namespace kaon {

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

extern template CloverObservables clover_observables(const GaugeField<double>&);
extern template CloverObservables clover_observables(const GaugeField<float>&);
extern template std::vector<double> topological_charge_density(const GaugeField<double>&);
extern template std::vector<double> topological_charge_density(const GaugeField<float>&);

}  // namespace kaon
