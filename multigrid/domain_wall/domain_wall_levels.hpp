// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/hierarchy_builder.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <memory>

namespace kaon::detail {

/// The two or three levels of multigrid for an operator whose fields have slices, `DomainWall`: M is the asymmetric
/// Schur complement on the even sites, and the cycle approximates (M^dag M)^-1 (`NormalCycle`). The next lattice is
/// that of aggregates of some 4^4 sites with all slices, and its operator P^dag M^dag M P (`CornerOperator`). If that
/// is too large for its inverse, aggregates of 2^4 of its sites make a third level in the same way, whose cycle
/// preconditions GCR on the second. A bootstrap improves the vectors of the third level.
///
/// The vectors start as noise, to which conjugate gradients for M^dag M are applied, or as given vectors on the even
/// sites. Bootstraps improve them as long as convergence is bad, unless their number is given. Half of the vectors are
/// made at first, unless levels are given, and all by the first bootstrap. Throws `Error` for parameters that do not
/// fit the lattice, and where the memory is too small. Collective.
std::shared_ptr<const Levels> make_domain_wall_levels(const Ref<EvenOddOperator<float>>& dirac,
                                                      const MultigridParameters& parameters);

/// Fields that the solve of a right-hand side takes beside x and b, as fields in single precision on even sites: 7 of
/// the iterations, 4 of operators and of the cycle, one in the order of P, and 6 and a half in double.
inline constexpr double fields_of_domain_wall_solve = 25.0;

/// The aggregates that kaon chooses for such operators. Throws `Error` for a lattice without any.
Coordinates choose_sliced_aggregates(const Lattice& lattice);

}  // namespace kaon::detail
