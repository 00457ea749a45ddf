// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>

#include <array>

namespace kaon::detail {

using Directions = std::array<bool, 4>;

/// Virtual nodes in each direction, `count` (a power of two) in all; one where the extents do not allow that many.
/// Faces of partitioned directions travel as whole vectors where all lanes have their own, so these are cut last.
Coordinates choose_lane_grid(const Coordinates& local_extents, const Directions& partitioned, int count, int reach);

}  // namespace kaon::detail
