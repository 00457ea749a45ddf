// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/lane_grid.hpp"

#include <kaon/core/coordinates.hpp>

#include <vector>

namespace kaon::detail {

// Each throws `Error` for arguments that no lattice can have.
void require_extents(const Coordinates& extents, bool coarse);
void require_process_grid(const Coordinates& grid, const Coordinates& extents, const Directions& partitioned,
                          bool coarse);
void require_ranks(const std::vector<int>& ranks, int processes);

/// Coordinates of a process in `grid`, whose ranks are `ranks`, x fastest; empty: 0, 1, 2, ...
Coordinates coordinates_of(int rank, const std::vector<int>& ranks, const Coordinates& grid);

}  // namespace kaon::detail
