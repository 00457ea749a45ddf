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

// Derivatives of a real function S of links through links that are made of them. The gradient G of S with respect to
// links U is the field of matrices with
//
//   dS = sum_{x, mu} Re tr(G_mu(x)^dag dU_mu(x)),
//
// it transforms under gauge transformations as U does. `u3_projection_gradient` (kaon/gauge/unitarity.hpp) belongs
// to these, and `staggered_force.hpp` puts them together.

/// sum += the gradient with respect to U, given that with respect to F = `fat_links(U, coefficients)`, for changes dU
/// that leave U unitary. It is `fat_links` backwards: the staples S_nu(X) are self-adjoint in X, and
///
///   X'_nu = S_nu(Y_mu),  T'_nu = lepage X'_nu + five (X'_rho + X'_sigma) + seven (S_rho(X'_sigma) + S_sigma(X'_rho)),
///   G_mu += (one - 6 lepage) Y_mu + sum_nu (three X'_nu + S_nu(T'_nu)),
///   G_nu += B_nu(Y_mu, T_nu) + B_nu(T'_nu, U_mu) + seven (B_nu(X'_rho, X_sigma) + B_nu(X'_sigma, X_rho)),
///
/// Y the gradient that is given, X and T of `fat_links`, and B_nu(Y, X)(x) = Y(x) U_nu(x+mu) X(x+nu)^dag +
/// Y(x-mu)^dag U_nu(x-mu) X(x-mu+nu) + the same with X and Y exchanged. If lepage is not 0, the part of G U^dag that
/// is Hermitian is not that of other changes of U.
///
/// Collective. 180 staples, 150 kflop a site; 144 flops where the weights of all staples are 0. Memory while it runs:
/// three more fields of links. Throws `Error` for compressed links, fields on several lattices, coefficients that are
/// not finite, where `sum` is one of the other fields, and where lepage is not 0 and a link is further than 1e-5 from
/// unitary.
void add_fat_links_gradient(GaugeField<double>& sum, const GaugeField<double>& links,
                            const PathCoefficients& coefficients, const GaugeField<double>& of_fat);

/// sum += `weight` times the gradient with respect to U, given that, N, with respect to T = `third_links(U)`:
///
///   N(x) (U(x+mu) U(x+2mu))^dag + U(x-mu)^dag N(x-mu) U(x+mu)^dag + (U(x-2mu) U(x-mu))^dag N(x-2mu).
///
/// Collective. 5 kflop a site. Throws `Error` as `add_fat_links_gradient`.
void add_third_links_gradient(GaugeField<double>& sum, const GaugeField<double>& links, double weight,
                              const GaugeField<double>& of_third);

}  // namespace kaon
