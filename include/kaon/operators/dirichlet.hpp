// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/boundary.hpp>

#include <limits>

namespace kaon {

/// A Dirichlet boundary among `BoundaryAngles`: psi is zero beyond the edge of the lattice in this direction, so that
/// no hop leads over it. exp(i theta) of the operators is then 0. Links are not changed: clover terms, smearing and
/// compressed links are those of the periodic gauge field.
inline constexpr double dirichlet = std::numeric_limits<double>::infinity();
/// Periodic in space, Dirichlet in time.
inline constexpr BoundaryAngles dirichlet_in_time{0.0, 0.0, 0.0, dirichlet};

}  // namespace kaon
