// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>

#include <optional>

namespace kaon {

// Momenta of links: traceless anti-Hermitian matrices P_mu(x) in a field of links, with dU/dt = P U.

/// P = i w sum_a c_a lambda_a, lambda_a Gell-Mann's matrices and c_a normal numbers of variance 1/2: the distribution
/// exp(-|P|^2/(2 w^2)) with |P|^2 = sum_ij |P_ij|^2. `width` = w; 1 in hybrid Monte Carlo.
///
/// Throws `Error` for compressed fields and for a width that is negative or not finite.
void set_gaussian_momenta(GaugeField<double>& momenta, double width, const RandomKey& key);

/// P <- TA(V), for matrices of another code. Collective. Throws `Error` for compressed fields, for fields on different
/// lattices, and where a matrix is further than 1e-5 of the largest number of all from being traceless and
/// anti-Hermitian, as Hermitian momenta H with P = i H are: P remains as it is then.
void set_momenta(GaugeField<double>& momenta, const GaugeField<double>& matrices);

/// K = sum_{x, mu} (|P_mu(x)|^2/2 - 4), where 4 is the mean of the first term for Gaussian momenta of width 1: what is
/// left has no large constant.
///
/// Collective. The digits do not depend on lanes and threads. Throws `Error` for compressed fields.
double kinetic_energy(const GaugeField<double>& momenta);

/// P <- P + w TA(V), TA(V) = (V - V^dag)/2 - (1/6) tr(V - V^dag). With w = dt this is a step along the force of the
/// action
///
///   S = sum_loops c Re Tr U_loop
///
/// if V_mu(x) = sum_i c_i P_i(x) over the closed paths that start with the link U_mu(x) (`add_link_paths`), one for
/// each link of each loop, in the sense in which the link is run through forward: dP/dt = TA(V) and dU/dt = P U
/// conserve sum |P|^2/2 + S.
///
/// 60 flops a link. Throws `Error` for compressed fields, fields on different lattices, and a weight that is not
/// finite.
void kick_momenta(GaugeField<double>& momenta, const GaugeField<double>& matrices, double weight);

struct LinkStep {
  double size = 0.0;           ///< dt
  std::optional<int> order{};  ///< of the exponential's series in dt; none: the exponential
};

/// U <- exp(dt P) U, with the traceless anti-Hermitian part of P; in SU(3) to rounding where U is. By `order` = n the
/// sum of (dt P)^k / k! for k = 0 to n takes the exponential's place, as in MILC (n = 8): links leave SU(3) a little.
///
/// 870 flops a link. Collective. Throws `Error` for compressed fields, fields on different lattices, a size that is not
/// finite, an order below 1, momenta that are not finite, and |dt P| > 1e6, where rounding would take links out of
/// SU(3): links remain as they are then.
void advance_links(GaugeField<double>& links, const GaugeField<double>& momenta, const LinkStep& step);

namespace detail {

/// `advance_links` without its checks, for trajectories, which look at the energy and the links in the end.
void drift_links(GaugeField<double>& links, const GaugeField<double>& momenta, const LinkStep& step);

}  // namespace detail
}  // namespace kaon
