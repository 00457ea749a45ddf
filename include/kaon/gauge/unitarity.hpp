// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// How far links are from SU(3), and which are the worst. Links that hold a NaN are infinitely far.
struct UnitarityDeviation {
  struct Worst {
    double deviation = 0.0;
    Coordinates site{};  ///< global; of several links with the same deviation, the first
    int direction = 0;
  };
  Worst unitarity;    ///< largest |(U U^dag - 1)_ij|
  Worst determinant;  ///< largest |det U - 1|
};

/// The largest distance of a link from SU(3). Collective.
template <class T>
UnitarityDeviation deviation_from_su3(const GaugeField<T>& links);

/// Brings every link back to SU(3): row 1 normalised, row 2 made orthogonal to it and normalised, row 3 = conj(row 1 x
/// row 2). For links that left SU(3) by rounding: a link far from it becomes an arbitrary one.
template <class T>
void reunitarize(GaugeField<T>& links);

/// The unitary links W = V (V^dag V)^(-1/2), the nearest to V: with the singular value decomposition V = A s B^dag,
/// W = A B^dag. Their determinant has any phase: W is in U(3).
///
/// The decomposition is a one-sided Jacobi iteration with a fixed number of sweeps. Collective. 14.6 kflop a site.
/// Throws `Error` for compressed links, and for a link that is not finite or has a singular value below 1e-14 of their
/// sum or below 1e-30; the message has the first such link. Source: E. Follana et al., Phys. Rev. D 75 (2007) 054502;
/// J. Demmel and K. Veselic, SIAM J. Matrix Anal. Appl. 13 (1992) 1204.
GaugeField<double> project_to_u3(const GaugeField<double>& links);

/// The gradient with respect to V of a function of W = `project_to_u3(V)`, from its gradient g with respect to W
/// (kaon/gauge/fat_links.hpp has the convention): with V = A s B^dag and P = A^dag g B,
///
///   A E B^dag,  E_ij = (P_ij - conj(P_ji))/(s_i + s_j).
///
/// Links near singular ones have large gradients. `filter` = delta above 0 limits the gradients of links that have an
/// eigenvalue s_i^2 below delta in V^dag V: their W is then V (V^dag V + delta)^(-1/2), and with r_i = (s_i^2 +
/// delta)^(1/2)
///
///   E_ij = ((r_i r_j + delta) P_ij - s_i s_j conj(P_ji))/(r_i r_j (r_i + r_j)).
///
/// The filter of MILC and QUDA is 5e-5. Collective. 18 kflop a site. Throws `Error` as `project_to_u3`, for fields on
/// two lattices, and for a filter that is negative or not finite.
GaugeField<double> u3_projection_gradient(const GaugeField<double>& links, const GaugeField<double>& of_projected,
                                          double filter = 0.0);

/// The links W det(W)^(-1/3) in SU(3), W the nearest links in U(3) (`project_to_u3`), with the cube root of the
/// determinant that is nearest to 1. For links near SU(3) these are the nearest in SU(3); links in it remain to
/// rounding.
///
/// Collective. 15.5 kflop a site. Throws `Error` as `project_to_u3` does. Source: as QUDA's, whose Newton iteration has
/// this limit.
GaugeField<double> project_to_su3(const GaugeField<double>& links);

}  // namespace kaon
