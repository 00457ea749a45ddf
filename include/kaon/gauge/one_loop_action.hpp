// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/gauge/loop_action.hpp>

namespace kaon {

/// Weights of plaquettes, rectangles and parallelograms. A parallelogram is a closed path of steps mu, nu, rho, -mu,
/// -nu, -rho in three different directions of either sign; there are 16 on each site, each in one sense.
struct OneLoopWeights {
  LoopWeights planar{};
  double parallelogram = 0.0;  ///< c_2
};

/// The action of MILC's ensembles, Symanzik's improved at one loop with a tadpole factor u0 for N_f flavours:
///
///   c_0 = 1,   c_1 = -(1 - (0.6264 - 1.1746 N_f) ln u0) / (20 u0^2),   c_2 = (0.0433 - 0.0156 N_f) ln u0 / u0^2,
///
/// with c_2 = 0.04335 ln u0 / u0^2 for N_f = 0, as in MILC's action for asqtad. The beta of these weights is MILC's,
/// 10/g^2 / u0^4: for u0 = 1 the action is that of `symanzik_weights` with 3/5 of this beta.
///
/// Throws `Error` unless u0 > 0 and N_f are finite. Sources: M. Alford et al., arXiv:hep-lat/9507010; A. Hart,
/// G. M. von Hippel and R. R. Horgan, arXiv:0812.0503 (N_f).
OneLoopWeights one_loop_symanzik_weights(double u0, double flavors);

/// `loop_action` of the planar loops + beta c_2 sum_parallelograms (1 - (1/3) Re tr U).
///
/// 94 link products a site more. Errors are those of `loop_action`. Collective.
double one_loop_action(const GaugeField<double>& links, double beta, const OneLoopWeights& weights);

/// `add_loop_force` of the planar loops, and that of the parallelograms: in the plane of nu and rho, with the corners
/// K_st(x) = U_s(x) U_t(x+s) of s = +-nu and t = +-rho,
///
///   C_mu(x) = sum_{s, t} K_st(x) U_mu(x+s+t) K_ts(x+mu)^dag,   V_mu(x) = V_mu(x) - (beta c_2/3) U_mu(x) C_mu(x)^dag,
///
/// of all planes without mu and both orders of s and t.
///
/// 48 kflop a site more. Memory: eight matrices a site. Errors are those of `add_loop_force`. Collective.
void add_one_loop_force(GaugeField<double>& matrices, const GaugeField<double>& links, double beta,
                        const OneLoopWeights& weights);

}  // namespace kaon
