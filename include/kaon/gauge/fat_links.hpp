// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/path_coefficients.hpp>

namespace kaon {

// One level of smearing with the paths of improved staggered quarks, in double precision. `asqtad_links` and
// `hisq_links` (kaon/gauge/improved_links.hpp) put the levels together.

/// The sum of all paths from x to x + mu with their coefficients; `third` is not used. With the staples
///
///   S_nu(X)(x) = U_nu(x) X(x+nu) U_nu(x+mu)^dag + U_nu(x-nu)^dag X(x-nu) U_nu(x-nu+mu)
///
/// of a field X of links in direction mu, X_nu = S_nu(U_mu), and nu, rho, sigma the other three directions,
///
///   T_nu = three U_mu + lepage X_nu + five (X_rho + X_sigma) + seven (S_rho(X_sigma) + S_sigma(X_rho))
///   F_mu = (one - 6 lepage) U_mu + sum_nu S_nu(T_nu).
///
/// S_nu(S_nu(U_mu)) is Lepage's staple and 2 U_mu, if U is unitary. No phases and no boundary conditions enter: links
/// are periodic. F is neither unitary nor of determinant 1.
///
/// Collective. 48 staples, 42 kflop a site; 14.4 kB a site move at least. Memory while it runs: two more fields of
/// links. On several processes the fields X and T of each mu travel through host memory. Throws `Error` for compressed
/// links, for coefficients that are not finite, and where lepage is not 0 and a link is further than 1e-5 from unitary.
GaugeField<double> fat_links(const GaugeField<double>& links, const PathCoefficients& coefficients);

/// The third links U_mu(x) U_mu(x+mu) U_mu(x+2mu), from x to x + 3mu, stored at x: as unitary as U, without their
/// weight. MILC's long links are these times `PathCoefficients::third`.
///
/// Collective. 1584 flops a site. Throws `Error` for compressed links.
GaugeField<double> third_links(const GaugeField<double>& links);

}  // namespace kaon
