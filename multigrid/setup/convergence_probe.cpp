// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/convergence_probe.hpp"

#include <kaon/core/kept_fields.hpp>
#include <kaon/core/random.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaon::detail {
namespace {

/// Right-hand sides of a probe.
constexpr int probes = 2;
/// The iterations between which it measures.
struct Iterations {
  int from, to;
};
constexpr Iterations early_iterations{2, 6}, late_iterations{5, 10};
/// Relative residual at which the probe ends: further iterations would measure rounding.
constexpr double end_of_probe = 8.0 * std::numeric_limits<float>::epsilon();

RandomKey noise_of(std::uint64_t seed) { return {.seed = seed, .stream = 999'999}; }

/// Factor by which an iteration of the probe reduces the residual of right-hand side k, down to `end` at most; 1 if the
/// solver has given up. The first iterations count if there are no others.
double factor_of(const SolveResult& probe, std::size_t k, const Iterations& measured, double end) {
  const int last = std::min(probe.right_hand_sides[k].iterations, measured.to);
  const int first = last > measured.from ? measured.from : 0;
  const auto residual_after = [&](int iterations) {
    return iterations == 0 ? 1.0 : probe.history[static_cast<std::size_t>(iterations) - 1][k];
  };
  if (last < measured.to && !(residual_after(last) <= end)) return 1.0;
  const double factor = std::pow(residual_after(last) / residual_after(first), 1.0 / (last - first));
  return std::isfinite(factor) ? factor : 1.0;
}

}  // namespace

ConvergenceFactors measure_convergence(const LinearOperator<float>& matrix, const LinearOperator<float>& cycle,
                                       std::uint64_t seed, Probe probe) {
  const int most = probe == Probe::early ? early_iterations.to : late_iterations.to;
  Temporaries<float> fields(matrix.lattice(), matrix.domain().with_right_hand_sides(probes), 2);
  SpinorField<float>&x = fields[0], &b = fields[1];
  set_gaussian(b, noise_of(seed));
  const Gcr<float> solver(
      matrix, cycle,
      {.krylov_space = most, .solve = {.tolerance = end_of_probe, .max_iterations = most, .max_restarts = 0}});
  const SolveResult result = solver.solve(x, b, {.keep_history = true});
  const auto worst = [&](const Iterations& measured) {
    double factor = 0.0;
    for (std::size_t k = 0; k < probes; ++k) {
      factor = std::max(factor, factor_of(result, k, measured, end_of_probe));
    }
    return factor;
  };
  return {worst(early_iterations), probe == Probe::late ? worst(late_iterations) : 1.0};
}

double measure_seconds(const EvenOddSystem<float>& system, const LinearOperator<float>& solver, std::uint64_t seed) {
  SpinorField<float> x = system.make_field(probes), b = system.make_field(probes);
  set_gaussian(b, noise_of(seed));
  const Execution& execution = system.lattice().execution();
  execution.fence("kaon::multigrid share");
  Kokkos::Timer timer;
  solver.apply(x, b);
  execution.fence("kaon::multigrid share");
  return system.lattice().communicator().maximum(timer.seconds());
}

}  // namespace kaon::detail
