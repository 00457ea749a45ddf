// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>

#include <array>
#include <vector>

namespace kaon::detail {

using Directions = std::array<bool, 4>;

/// Virtual nodes in each direction, `count` (a power of two) in all; one where the extents do not allow that many.
/// Faces of partitioned directions travel as whole vectors where all lanes have their own, so these are cut last.
Coordinates choose_lane_grid(const Coordinates& local_extents, const Directions& partitioned, int count, int reach);

// Each throws `Error` for arguments that no lattice can have.
void require_extents(const Coordinates& extents, bool coarse);
void require_process_grid(const Coordinates& grid, const Coordinates& extents, const Directions& partitioned,
                          bool coarse);
void require_ranks(const std::vector<int>& ranks, int processes);

/// Coordinates of a process in `grid`, whose ranks are `ranks`, x fastest; empty: 0, 1, 2, ...
Coordinates coordinates_of(int rank, const std::vector<int>& ranks, const Coordinates& grid);

}  // namespace kaon::detail
