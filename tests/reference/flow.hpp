// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "smeared_links.hpp"

namespace kaon::reference {

/// (1/V) sum_x -tr G^2, G = (Q - Q^dag)/8 without its trace, summed over the planes among x, y, z and over those with
/// t.
struct Energy {
  double spatial, temporal;
};
Energy clover_energy(const Links& links, const Coordinates& extents);

/// -(1/(32 pi^2)) sum_{mu nu rho sigma} eps Re tr F_{mu nu} F_{rho sigma}, F = (Q - Q^dag)/8, on each site.
std::vector<double> charge_density(const Links& links, const Coordinates& extents);

/// sum over loops of c_0 Re tr(1 - plaquette) and c_1 Re tr(1 - rectangle), each loop in one sense and in planes
/// with time xi^2 times: what flows fall along.
double loop_action(const Links& links, const LoopWeights& weights, const Coordinates& extents);

/// One step of the third-order Runge-Kutta method for dV/dt = Z(V) V, Z = TA(staples V^dag): arXiv:1006.4518, appendix
/// C.
Links flow_step(const Links& links, double epsilon, const LoopWeights& weights, const Coordinates& extents);

/// sum_mu [U_mu(x) psi(x+mu) + U_mu(x-mu)^dag psi(x-mu) - 2 psi(x)]
Spinor laplace(const Spinor& psi, const Links& links, const Coordinates& extents);

/// A step for dchi/dt = Delta chi along with the links V: arXiv:1302.5246, appendix D.
Spinor fermion_flow_step(const Spinor& chi, const Links& links, double epsilon, const LoopWeights& weights,
                         const Coordinates& extents);

}  // namespace kaon::reference
