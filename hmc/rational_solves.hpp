// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quarks/shift_solver.hpp"

#include <kaon/hmc/rational_functions.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <span>

namespace kaon::detail {

/// x_i = (A + b_i)^-1 phi by the solver of these shifts; returns its iterations. Throws `Error` where a shift does not
/// converge.
long solve_shifts(std::span<SpinorField<double>> x, const ShiftSolver& solve, const SpinorField<double>& phi);

/// r(A) psi by the solver of the shifts of r; adds its iterations.
SpinorField<double> apply_rational(const PartialFractions& r, const ShiftSolver& solve, const SpinorField<double>& psi,
                                   long& iterations);

}  // namespace kaon::detail
