// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/solve_report.hpp"

#include "core/lattice/agreement.hpp"

#include <kaon/core/blas.hpp>

#include <cmath>

namespace kaon::detail {

void require_same_receivers(const Lattice& lattice, const Progress& progress) {
  require_same(lattice.communicator(), "solvers", progress ? "with on_iteration" : "without on_iteration");
}

template <class T>
void set_errors(SolveResult& result, const SpinorField<T>& x, const SpinorField<T>& b) {
  const blas::Reals x_norm2 = blas::norm2(x), b_norm2 = blas::norm2(b);
  for (std::size_t k = 0; k < x_norm2.size(); ++k) {
    SolveResult::RightHandSide& side = result.right_hand_sides[k];
    if (side.true_residual == 0.0) side.error_at_least = false;
    if (x_norm2[k] == 0.0) continue;
    // |x| / |b|, too, is seen of M^-1.
    const double x_per_b = std::sqrt(x_norm2[k] / b_norm2[k]);
    side.error = side.true_residual * std::max(1.0, side.error_per_residual / x_per_b);
  }
}

template void set_errors(SolveResult&, const SpinorField<double>&, const SpinorField<double>&);
template void set_errors(SolveResult&, const SpinorField<float>&, const SpinorField<float>&);
template void set_errors(SolveResult&, const SpinorField<half>&, const SpinorField<half>&);

bool SolveReport::goes_on(const Lattice& lattice, std::span<const double> residuals) {
  ++iterations;
  if (!progress && !keep_history) return true;
  const std::vector<double> of_whole = progress.of_whole(residuals);
  if (keep_history) history.push_back(of_whole);
  if (!progress) return true;
  wants_to_stop = wants_to_stop || !progress.report(iterations, of_whole);
  agreed = false;
  // The host would wait for a sum over processes in each iteration.
  const bool agrees = iterations <= agreement_interval || iterations % agreement_interval == 0;
  return agrees || lattice.communicator().size() == 1 ? goes_on(lattice) : true;
}

bool SolveReport::goes_on(const Lattice& lattice) {
  const Communicator& processes = lattice.communicator();
  if (!agreed) stopped = processes.size() == 1 ? wants_to_stop : processes.any(wants_to_stop);
  agreed = true;
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
