// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/contract/targets.hpp"

#include <span>
#include <vector>

namespace kaon::detail {

/// Processes agree on the end of a solve in each of so many iterations, then once in as many, and at its end.
inline constexpr int agreement_interval = 8;

/// Throws `Error` on all processes of the lattice where some have a receiver and others have none. Collective.
void require_same_receivers(const Lattice& lattice, const Progress& progress);

/// Sets `SolveResult::RightHandSide::error` for the solution x of M x = b.
template <class T>
void set_errors(SolveResult& result, const SpinorField<T>& x, const SpinorField<T>& b);

/// Time, flops and history of a solve, and the receiver of its iterations.
struct SolveReport {
  explicit SolveReport(const SolveRequest& request) : progress(request.progress), keep_history(request.keep_history) {}

  /// Reports the relative iterated residuals after an iteration; returns whether all processes of the lattice continue.
  /// Collective.
  bool goes_on(const Lattice& lattice, std::span<const double> residuals);
  /// Like `goes_on` above, at the end of iterations, for those since the last agreement. Collective.
  bool goes_on(const Lattice& lattice);
  /// The result so far.
  SolveResult result(std::span<const RightHandSide> sides) const;

  Progress progress;
  bool keep_history;
  Kokkos::Timer timer{};
  double flops = 0.0;
  int iterations = 0;
  int reliable_updates = 0;
  bool wants_to_stop = false;  ///< this process
  bool stopped = false;        ///< all processes, when they agreed last
  bool agreed = true;          ///< since the last iteration
  std::vector<std::vector<double>> history{};
};

}  // namespace kaon::detail
