// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <numbers>

namespace kaon {

/// Angles theta_mu of the fermion boundary condition psi(x + L_mu mu) = exp(i theta_mu) psi(x).
using BoundaryAngles = std::array<double, 4>;
/// The usual choice: periodic in space, antiperiodic in time.
inline constexpr BoundaryAngles antiperiodic_in_time{0.0, 0.0, 0.0, std::numbers::pi};
inline constexpr BoundaryAngles periodic{0.0, 0.0, 0.0, 0.0};

}  // namespace kaon
