// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/multigrid/multigrid.hpp>

#include <optional>

namespace kaon::perf {
namespace {

constexpr double tolerance = 1e-10;

/// The multigrid of all benchmarks on one lattice, made when first asked for.
using Kept = std::optional<Multigrid<double>>;

const WilsonClover<double>& find_dirac(Suite& suite, const Lattice& lattice) {
  return suite.problem.on<WilsonClover, double>(lattice, LinkStorage::full);
}

/// Shows what was built beside the time.
void report_hierarchy(benchmark::State& state, const Multigrid<double>& multigrid) {
  state.counters["levels"] = static_cast<double>(multigrid.report().levels.size());
  state.counters["bootstraps"] = multigrid.report().bootstraps;
  state.counters["convergence"] = multigrid.report().convergence;
}

void run_setup(benchmark::State& state, Suite& suite, const Lattice& lattice, Kept& kept) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  kept.emplace(dirac, MultigridParameters{.tolerance = tolerance});  // kernels are tuned on first use
  for (auto _ : state) {
    Stopwatch stopwatch = suite.stopwatch();
    stopwatch.start();
    kept.emplace(dirac, MultigridParameters{.tolerance = tolerance});
    state.SetIterationTime(stopwatch.stop());
  }
  report(state, suite, {}, kept->report().setup_seconds);
  report_hierarchy(state, *kept);
}

void run_multigrid_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, Kept& kept, int count) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  if (!kept) kept.emplace(dirac, MultigridParameters{.tolerance = tolerance});
  SpinorField<double> b = dirac.make_field(count), x = dirac.make_field(count);
  fill(b, 7);
  const auto solve = [&] {
    blas::set_zero(x);
    return kept->solve(x, b);
  };
  double seconds = 0.0;
  const SolveResult result = measure_solves(state, suite, solve, seconds);
  if (state.error_occurred()) return;
  report(state, suite, {result.flops, 0.0}, seconds);
  report_hierarchy(state, *kept);
  state.counters["iterations"] = result.iterations();
  state.counters["true_residual"] = result.true_residual();
}

}  // namespace

void register_multigrid(Suite& suite, const Lattice& lattice) {
  const auto owned = std::make_shared<Kept>();
  suite.kept.push_back(owned);  // benchmarks themselves live longer than Kokkos
  Kept* const kept = owned.get();
  const std::string extents = to_string(lattice.extents());
  add_benchmark("multigrid_setup/single/" + extents,
                [&suite, &lattice, kept](benchmark::State& state) { run_setup(state, suite, lattice, *kept); });
  for (const int count : right_hand_side_counts) {
    add_benchmark(case_name("solve_multigrid", "double", count, lattice),
                  [&suite, &lattice, kept, count](benchmark::State& state) {
                    run_multigrid_solve(state, suite, lattice, *kept, count);
                  });
  }
}

}  // namespace kaon::perf
