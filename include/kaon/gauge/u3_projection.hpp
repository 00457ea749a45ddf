// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// The unitary links W = V (V^dag V)^(-1/2), the nearest to V: with the singular value decomposition V = A s B^dag,
/// W = A B^dag. Their determinant has any phase: W is in U(3).
///
/// The decomposition is a one-sided Jacobi iteration with a fixed number of sweeps. Collective. 14.6 kflop a site.
/// Throws `Error` for compressed links, and for a link that is not finite or has a singular value below 1e-14 of their
/// sum or below 1e-30; the message has the first such link. Source: E. Follana et al., Phys. Rev. D 75 (2007) 054502;
/// J. Demmel and K. Veselic, SIAM J. Matrix Anal. Appl. 13 (1992) 1204.
GaugeField<double> project_to_u3(const GaugeField<double>& links);

/// The gradient with respect to V of a function of W = `project_to_u3(V)`, from its gradient g with respect to W
/// (kaon/gauge/fat_link_gradients.hpp has the convention): with V = A s B^dag and P = A^dag g B,
///
///   A E B^dag,  E_ij = (P_ij - conj(P_ji))/(s_i + s_j).
///
/// Links near singular ones have large gradients. `filter` = delta above 0 takes them from those links that have an
/// eigenvalue s_i^2 below delta in V^dag V: their W is then V (V^dag V + delta)^(-1/2), and with r_i = (s_i^2 +
/// delta)^(1/2)
///
///   E_ij = ((r_i r_j + delta) P_ij - s_i s_j conj(P_ji))/(r_i r_j (r_i + r_j)).
///
/// The filter of MILC and QUDA is 5e-5. Collective. 18 kflop a site. Throws `Error` as `project_to_u3`, for fields on
/// two lattices, and for a filter that is negative or not finite.
GaugeField<double> u3_projection_gradient(const GaugeField<double>& links, const GaugeField<double>& of_projected,
                                          double filter = 0.0);

}  // namespace kaon
