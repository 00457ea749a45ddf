// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>
#include <kaon/measure/contractions.hpp>

namespace kaon::detail {

/// Throws `Error` for numbers of a momentum that are beyond half of an extent. On the sites of the lattice such a
/// momentum has the phases of another one, which the message states.
void require_momentum(const SpatialMomentum& momentum, const Coordinates& extents);

}  // namespace kaon::detail
