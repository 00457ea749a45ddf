// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/hierarchy_builder.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

/// The levels that kaon chooses for quarks on `sites`: on hypercubes for staggered quarks. Throws `Error` for a lattice
/// without aggregates. `grid` is that of `find_levels`. Levels of staggered quarks have `vectors`, if these fit the
/// aggregates, and by default as many as on smooth links.
std::vector<MultigridCoarsening> choose_levels_of_quarks(const Lattice& sites, bool staggered,
                                                         const Coordinates& grid = {1, 1, 1, 1},
                                                         std::optional<int> vectors = {});

/// The levels of multigrid for a staggered operator, `Staggered` or `ImprovedStaggered`: M on all sites, A of its hops
/// to nearest neighbours on hypercubes (`HypercubeOperator`), and the `Hierarchy` of A. Hops over three links, and thin
/// links, are in M alone: A has fat links, for naive operators fat7 links.
///
/// Near-null vectors are those of M, v on all sites; u = X^(1/2) T^dag v are those of A. The factor of convergence in
/// the report is that of M. Throws `Error` for other operators, and as `HypercubeOperator` and `build_hierarchy` do.
std::shared_ptr<const Levels> make_staggered_levels(const Ref<EvenOddOperator<float>>& dirac,
                                                    const MultigridParameters& parameters);

}  // namespace kaon::detail
