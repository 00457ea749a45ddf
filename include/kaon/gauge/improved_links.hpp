// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <span>
#include <vector>

namespace kaon {

/// The links of an improved staggered operator,
///
///   D chi(x) = sum_mu eta_mu(x) [ F_mu(x) chi(x+mu) - F_mu(x-mu)^dag chi(x-mu)
///                               + w T_mu(x) chi(x+3mu) - w T_mu(x-3mu)^dag chi(x-3mu) ].
///
/// The phases eta_mu and the boundary condition belong to the operator and are in none of the links.
struct ImprovedLinks {
  GaugeField<double> fat;    ///< F: the sum of all paths from x to x + mu with their coefficients
  GaugeField<double> third;  ///< T: the pure product of three links, unitary if these are
  double third_weight;       ///< w: the coefficient of the third links
};

/// asqtad's links: `fat_links` with `asqtad_coefficients(u0)`, `third_links`, and the weight -1/(24 u0^2).
///
/// Collective; cost, memory and errors are those of these calls.
ImprovedLinks asqtad_links(const GaugeField<double>& links, double u0);

/// HISQ's links for quarks with the given Naik epsilon:
///
///   V = fat_links(U, fat7),  W = project_to_u3(V),  F = fat_links(W, hisq(epsilon)),  T = third_links(W),
///   w = -(1 + epsilon)/24.
///
/// Collective. 100 kflop a site; errors are those of these calls. Source: E. Follana et al., Phys. Rev. D 75 (2007)
/// 054502.
ImprovedLinks hisq_links(const GaugeField<double>& links, double naik_epsilon = 0.0);

/// Links for several Naik epsilons, in their order, at the cost of one: the fat links differ by multiples of W,
/// F(epsilon') = F(epsilon) + (epsilon' - epsilon)/8 W, and all have the same third links, which they share.
std::vector<ImprovedLinks> hisq_links(const GaugeField<double>& links, std::span<const double> naik_epsilons);

/// Long links w T, as MILC and QUDA have them (except for phases): third links times their weight.
GaugeField<double> long_links(const ImprovedLinks& links);

/// The links of an operator from its fat and long links. If the long links are one number times unitary matrices, to
/// 1e-5, w is that number with a negative sign and T is unitary:
///
///   w = -(sum |(w T)_ij|^2 / (3 n))^(1/2) over all n links.
///
/// Otherwise w = 1 and T are the long links, which operators then take in full storage alone. Collective. Throws
/// `Error` for compressed links and for links on two lattices.
ImprovedLinks links_from_long(GaugeField<double> fat, const GaugeField<double>& long_links);

}  // namespace kaon
