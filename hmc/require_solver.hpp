// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/hmc/two_flavor_action.hpp>

namespace kaon::detail {

/// Throws `Error` unless both tolerances lie between 0 and 1, and iterations are possible.
void require_usable(const ActionSolverParameters& solver);

}  // namespace kaon::detail
