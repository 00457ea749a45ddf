// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/propagators/propagator_solver.hpp>

#include <cstddef>

namespace kaon::capi {

/// The options but for the outer precision and the file of near-null vectors. Throws `Error` for numbers that are in
/// none of their lists, and `Unsupported` for a method that the operator has not.
PropagatorSolverParameters solver_parameters(const kaon_solver_options& given, const kaon_operator& dirac);

/// Throws `Unsupported` for multigrid of staggered operators.
KrylovMethod krylov_method(int given, bool staggered);

bool is_staggered(const kaon_operator& dirac);

/// Of right-hand side k.
kaon_report report_of(const SolveResult& result, std::size_t k);

}  // namespace kaon::capi
