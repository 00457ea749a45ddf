// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/quarks/propagator_solver.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace kaon::capi {

/// The options except for the outer precision and the file of near-null vectors. Throws `Error` for numbers that are in
/// none of their lists, and `Unsupported` for a method that the operator has not.
PropagatorSolverParameters solver_parameters(const kaon_solver_options& given, const kaon_operator& dirac);

/// The method of that number; KAON_CG of an operator without a normal system on one parity is CGNR.
KrylovMethod krylov_method(int given, bool has_normal_system);

/// Whether the operator has a normal system on one parity, as staggered ones have.
bool has_normal_system(const kaon_operator& dirac);

/// Near-null vectors for the lattice of an operator.
std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Lattice& lattice, const char* path);

/// The report of right-hand side k.
kaon_report report_of(const SolveResult& result, std::size_t k);

}  // namespace kaon::capi
