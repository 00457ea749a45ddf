// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/requirements.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon {

void detail::require_usable(const ActionSolverParameters& solver) {
  for (const double tolerance : {solver.tolerance, solver.force_tolerance}) {
    require(tolerance > 0.0 && tolerance < 1.0, [&] {
      return fmt::format("the tolerance {} of an action's solves does not lie between 0 and 1", tolerance);
    });
  }
  require(solver.max_iterations > 0,
          [&] { return fmt::format("the solves of an action need iterations, not {}", solver.max_iterations); });
}

}  // namespace kaon
