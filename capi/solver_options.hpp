// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/quarks/propagator_solver.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kaon::capi {

/// The options except for the file of near-null vectors. Throws `Error` for numbers that are in none of their lists,
/// and for a precision that the operator does not have.
SolveOptions solve_options(const kaon_solver_options& given, const kaon_operator& dirac);

/// The method of that number. Throws `Error` for a number of none.
KrylovMethod krylov_method(int given);
/// Throws `Unsupported` for a method that does not solve for such operators.
void require_method(KrylovMethod method, OperatorKind kind);
/// Returns the name of a method in kaon.h.
std::string name_of(KrylovMethod method);
OperatorKind kind_of(const kaon_operator& dirac);

/// Near-null vectors for the lattice of an operator.
std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Lattice& lattice, const char* path);

/// The report of right-hand side k.
kaon_report report_of(const SolveResult& result, std::size_t k);

}  // namespace kaon::capi
