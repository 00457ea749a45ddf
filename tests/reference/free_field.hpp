// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "wilson.hpp"

namespace kaon::reference {

/// Momentum of the free field: p_mu = (2 pi n_mu + theta_mu) / L_mu, exp(i theta_mu) the boundary phase (of modulus 1).
std::array<double, directions> momentum(const Coordinates& mode, const Coordinates& extents,
                                        const WilsonParameters& parameters);

/// M(p) for U = 1: d + sum_mu w_mu (1 - cos p_mu) + i sum_mu w_mu g_mu sin p_mu + i mu g_5,
/// d = diagonal() - sum_mu w_mu, which is the mass m.
SpinMatrix free_operator(const std::array<double, directions>& p, const WilsonParameters& parameters);

/// M(p)^-1 = [d + sum_mu w_mu (1 - cos p_mu) - i sum_mu w_mu g_mu sin p_mu - i mu g_5] / N(p),
/// N(p) = [d + sum_mu w_mu (1 - cos p_mu)]^2 + sum_mu w_mu^2 sin^2 p_mu + mu^2.
/// Source: I. Montvay and G. Muenster, Quantum Fields on a Lattice (Cambridge, 1994), section 4.2.
SpinMatrix free_propagator(const std::array<double, directions>& p, const WilsonParameters& parameters);

/// exp(i p x) v at every site, v one spin and colour vector.
Spinor plane_wave(const std::array<double, directions>& p, const SiteVector& v, const Coordinates& extents);

/// S(x, y) = (1/V) sum_p exp(i p (x - y)) M(p)^-1 applied to a point source of `spin` and `color` at y.
Spinor free_point_propagator(const Coordinates& source, int spin, int color, const Coordinates& extents,
                             const WilsonParameters& parameters);

}  // namespace kaon::reference
