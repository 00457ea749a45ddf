// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_report.hpp"

#include "core/lattice/agreement.hpp"

namespace kaon::detail {

void require_same_receivers(const Lattice& lattice, const OnIteration& on_iteration) {
  require_same(lattice.communicator(), "solvers", on_iteration ? "with on_iteration" : "without on_iteration");
}

bool SolveReport::goes_on(const Lattice& lattice, std::span<const double> residuals) {
  ++iterations;
  if (keep_history) history.emplace_back(residuals.begin(), residuals.end());
  if (on_iteration) stopped = lattice.communicator().any(!on_iteration(iterations, residuals));
  return !stopped;
}

SolveResult SolveReport::result(std::span<const RightHandSide> sides) const {
  SolveResult result{.right_hand_sides = {},
                     .history = history,
                     .stopped = stopped,
                     .reliable_updates = reliable_updates,
                     .seconds = timer.seconds(),
                     .flops = flops};
  for (const RightHandSide& side : sides) result.right_hand_sides.push_back(side.result);
  return result;
}

}  // namespace kaon::detail
