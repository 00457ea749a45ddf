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

/// exp(i p x) v at every site, v one spin and colour vector.
Spinor plane_wave(const std::array<double, directions>& p, const SiteVector& v, const Coordinates& extents);

}  // namespace kaon::reference
