// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"
#include "quda/solve/solver.hpp"

#include <memory>

namespace kaon::quda {

/// The solver of a multigrid of `newMultigridQuda` for an operator on the present links and clover term. A multigrid
/// for another mass, twist or other links is rebuilt from its near-null vectors. Throws `Error` for a pointer that
/// belongs to no multigrid.
std::shared_ptr<CachedSolver> multigrid_solver(const void* multigrid, const OperatorDescription& of);

/// A multigrid as `newMultigridQuda` makes it, and its end; null is none. Throws `Error` for a pointer that is none.
void* make_multigrid(const QudaInvertParam& of);
void destroy_multigrid(void* multigrid);

}  // namespace kaon::quda
