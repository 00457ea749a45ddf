// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>
#include <kaon/multigrid/parameters.hpp>

#include <vector>

namespace kaon::detail {

/// The levels that are taken where none are given: aggregates of about 4^4 sites with 24 vectors, then of about 2^4
/// with 32, on hypercubes of staggered quarks with 48 from the first level on, until the last level is small enough for
/// an exact inverse or cannot be cut any more. Throws `Error` for a lattice that has no aggregates. `components`:
/// numbers of a site of the operator. `grid`: the local lattice is cut into so many parts in each direction, one for
/// each process, and the levels are those of these processes.
std::vector<MultigridCoarsening> choose_levels(const Lattice& fine, int components = 12,
                                               const Coordinates& grid = {1, 1, 1, 1});
/// The same on hypercubes where convergence is bad: with 64 vectors on all levels (docs/decisions.md 48). Empty where
/// there are no aggregates of so many.
std::vector<MultigridCoarsening> choose_wide_levels(const Lattice& hypercubes);
/// The same for quarks on `sites`, of hypercubes where they are staggered.
std::vector<MultigridCoarsening> choose_levels_of_quarks(const Lattice& sites, bool staggered,
                                                         const Coordinates& grid = {1, 1, 1, 1});

/// Throws `Error`, with the level and what can be had, for levels that cannot be: blocks that do not divide the local
/// lattice, numbers of vectors that are odd, below those of the level above, or more than an aggregate has components.
void require_levels(const Lattice& fine, const std::vector<MultigridCoarsening>& levels, int components = 12);

}  // namespace kaon::detail
