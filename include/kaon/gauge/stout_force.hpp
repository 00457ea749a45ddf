// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace kaon {

// Stout smearing of the links that quarks of hybrid Monte Carlo see, level by level from U^(0) = U to U^(n):
//
//   U^(k+1)_mu = exp(TA(Omega_mu)) U^(k)_mu,   Omega_mu = C_mu U^(k)_mu^dag,
//   C_mu(x) = sum_nu rho_munu [ U_nu(x) U_mu(x+nu) U_nu(x+mu)^dag + U_nu(x-nu)^dag U_mu(x-nu) U_nu(x-nu+mu) ] of U^(k),
//
// nu != mu, TA(A) = (A - A^dag)/2 - (1/6) tr(A - A^dag). Links are periodic: boundary phases of quarks belong to the
// operator and enter no staple. Source: C. Morningstar and M. Peardon, hep-lat/0311018, whose i Q is TA(Omega).

struct StoutSmearing {
  /// rho_munu = rho_mu of the links' own direction, and 0 where rho_nu is 0: links of one direction with 0 remain as
  /// they are and do not enter, as with `StoutParameters::omitted`.
  std::array<double, 4> rho{};
  int levels = 1;

  /// The direction whose rho is 0.
  std::optional<int> omitted() const;
  bool operator==(const StoutSmearing&) const = default;
};

/// Throws `Error` for rho that is negative or not finite, for several directions with 0, and for levels below 1.
void require_possible(const StoutSmearing& smearing);

/// Returns whether a level damps all waves of smooth links, or enlarges none. To first order in A, U = exp(i A), it
/// multiplies a wave of momentum k in the D directions that are smeared by the matrix
///
///   1 - M,   M_munu = rho_mu [khat^2 delta_munu - khat_mu khat_nu],   khat_mu = 2 sin(k_mu/2).
///
/// A wave grows where an eigenvalue of M is above 2. The largest one belongs to khat_mu = 2, since the quadratic form
/// sum_(mu<nu) (khat_nu v_mu sqrt(rho_mu) - khat_mu v_nu sqrt(rho_nu))^2 is convex in each khat_mu. There M is
/// 4 rho_mu (D delta_munu - 1), and no eigenvalue is above 2 if all rho are at most 1/(2 D): 1/8 in four directions
/// and 1/6 in three; or if one alone is above that, and
///
///   sum_mu 2 rho_mu/(2 D rho_mu - 1) >= 1.
bool is_stable(const StoutSmearing& smearing);

/// U^(0) to U^(n), the first of them a copy of the links. 14 kflop a site and level. Collective. Throws `Error` as
/// `require_possible` and `stout_links`.
std::vector<GaugeField<double>> stout_levels(const GaugeField<double>& links, const StoutSmearing& smearing);

/// V <- V + the matrices of the force on U^(0) of an S with those of `of_last` on U^(n),
///
///   dS = sum Re Tr(P^(n) V^(n)) = sum Re Tr(P V)   for dU^(n) = P^(n) U^(n) that dU = P U leads to,
///
/// for `kick_momenta`; `of_last` is used up. A level has, with E = exp(TA(Omega)), F = TA(V') of its result and B of
/// `exponential_with_derivative`,
///
///   V_mu = E^dag F E - B_mu Omega_mu + U_mu G_mu^dag,
///   G_mu = sum_nu [ S_nu(Y_mu) + B_mu(Y_nu, U_nu) ],   Y_mu = -rho_mu B_mu U_mu,
///
/// S_nu(Y) the two staples with Y in the place of U_mu, B_mu(Y_nu, U_nu) what their sides take. -i B is Lambda of
/// Morningstar and Peardon, equation (72); the sum is their (75). 55 kflop a site and level. Collective. Throws `Error`
/// as `require_possible`, for levels that are not those of the smearing, compressed links and fields on several
/// lattices.
void add_stout_force(GaugeField<double>& matrices, std::span<const GaugeField<double>> levels,
                     const StoutSmearing& smearing, GaugeField<double>& of_last);

}  // namespace kaon
