// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/domain_wall.hpp>

#include <vector>

namespace kaon {

// These convert between 4-d fields, of one slice, and fields of a domain wall operator. Both have all sites, and the
// same right-hand sides; other fields throw `Error`. P_+- = (1 +- g5)/2.

/// The source of D psi = eta_5 whose solution has the propagator from `source` on its walls:
///   eta_5 = (1 - c D_W) [P_+ source at s = 0, P_- source at s = L_s - 1, zero between],
/// arXiv:1411.7017, eq. (16) and (19).
template <class T>
void set_wall_source(SpinorField<T>& source_5d, const SpinorField<T>& source, const DomainWall<T>& dirac);

/// q = P_- psi_0 + P_+ psi_{L_s-1}: with D psi = eta_5, the propagator q = (D_ov(m)^-1 - 1)/(1 - m) source.
template <class T>
void take_walls(SpinorField<T>& q, const SpinorField<T>& psi);

/// q_mp = P_+ psi_{L_s/2-1} + P_- psi_{L_s/2}, whose correlator measures the residual mass. Throws `Error` for an odd
/// number of slices, too.
template <class T>
void take_midpoint(SpinorField<T>& q, const SpinorField<T>& psi);

/// The fields of which conserved currents are made,
///
///   chi = M^-1 B^-1 eta_w = (B psi + c eta_w)/(b + c),  eta_w = [P_+ eta at s = 0, P_- eta at s = L_s - 1],
///
/// psi the solutions of D psi = eta_5 for the sources `source`, eta. The hops of M are those of Wilson quarks on each
/// slice. chi is psi of Shamir's operator. Throws `Error` for coefficients by slice and for b + c = 0, too.
template <class T>
void set_current_fields(SpinorField<T>& chi, const SpinorField<T>& psi, const SpinorField<T>& source,
                        const DomainWall<T>& dirac);

/// Correlator in time of the conserved axial current with the pseudoscalar density of the source,
///
///   A_4(t) = -2 (b + c) sum_{x : x_t = t} sum_s sign(s - (L_s - 1)/2) Re <g5 chi_{L_s-1-s}(x), (K_{+4} chi)_s(x)>,
///
/// summed over right-hand sides, with chi of `set_current_fields`. The current lives on the links from t to t + 1. With
/// q of `take_walls` and q_mp of `take_midpoint`, wherever the source is zero,
///
///   A_4(t) - A_4(t - 1) = sum_{x : x_t = t} (2 m |q|^2 + 2 |q_mp|^2),
///
/// the axial Ward identity (Furman, Shamir hep-lat/9405004; Moebius: Boyle arXiv:1411.5728). Throws `Error` as
/// `set_current_fields` does.
template <class T>
std::vector<double> axial_current(const SpinorField<T>& psi, const SpinorField<T>& source, const DomainWall<T>& dirac);

}  // namespace kaon
