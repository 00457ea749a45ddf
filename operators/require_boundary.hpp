// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/operators/boundary.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace kaon::detail {

/// Throws `Error` for an angle that is no number.
inline void require_boundary(const BoundaryAngles& angles) {
  for (std::size_t mu = 0; mu < angles.size(); ++mu) {
    require(std::isfinite(angles[mu]), [&] {
      return fmt::format("the boundary angle of direction {} is {}: give a number, in radians", mu, angles[mu]);
    });
  }
}

}  // namespace kaon::detail
