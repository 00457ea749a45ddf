// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/quarks/propagator_solver.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::capi {

/// Returns the options of a call, with the near-null vectors of their file. Throws `Error` for numbers that are in none
/// of their lists, and for a precision that the operator does not have.
SolveOptions solve_options(Call& call, const kaon_solver_options& given, const kaon_operator& dirac);

/// Copies the options that are numbers.
void copy_numbers(const kaon_solver_options& from, SolveOptions& to);

/// The method of that number. Throws `Error` for a number of none.
KrylovMethod krylov_method(int given);
/// Throws `Unsupported` for a method that does not solve for such operators.
void require_method(KrylovMethod method, OperatorKind kind);
/// Returns the name of a method in kaon.h.
std::string name_of(KrylovMethod method);
OperatorKind kind_of(const kaon_operator& dirac);

/// The report of right-hand side k.
kaon_report report_of(const SolveResult& result, std::size_t k);

}  // namespace kaon::capi
