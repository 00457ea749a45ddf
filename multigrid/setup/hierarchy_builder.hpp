// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/hierarchy.hpp"
#include "multigrid/setup/level_choice.hpp"

#include <vector>

namespace kaon::detail {

/// Properties of an operator that a setup depends on.
template <class T>
struct HierarchyKind {
  MakeSmoother<T> make_smoother{};  ///< of the first level; none: as on other levels, in T
  LevelRules rules{};
  std::vector<MultigridCoarsening> wide_levels{};  ///< unless empty, replace chosen levels that converge badly
};

/// Builds the levels below the operator `fine`, whose K is gamma5-Hermitian.
///
/// The near-null vectors v_j of the first level start as noise that Richardson's method on S v = 0 has relaxed, or as
/// given vectors. The vectors of a level below start as R v_j of the level above, and relaxed noise. A bootstrap
/// replaces each vector by a cycle's approximation of M^-1 v_j and builds all levels below again (Brannick et al.;
/// Frommer et al., arXiv:1303.1377). Before that the vectors are made orthonormal as whole fields, because otherwise
/// all of them would turn to the lowest modes.
///
/// Throws `Error` for invalid parameters and for operators that are not `Coarsenable`. Collective.
template <class T>
Hierarchy<T> build_hierarchy(const Ref<EvenOddOperator<T>>& fine, const MultigridParameters& parameters,
                             const HierarchyKind<T>& kind = {});

}  // namespace kaon::detail
