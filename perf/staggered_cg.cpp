// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"
#include "perf/problem.hpp"
#include "solvers/contract/timing_tolerance.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/solvers/cg.hpp>

namespace kaon::perf {
namespace {

/// Read and written in an iteration beside the normal operator.
constexpr int cg_vectors = 8;

/// Two hops, the second with x.
template <class T>
Cost normal_cost(const EvenOddOperator<T>& dirac, int count) {
  return hop_cost(dirac, SiteTerm::none, false, count) + hop_cost(dirac, SiteTerm::none, true, count);
}

/// Iterations of CG on `StaggeredNormal`, and the operator alone.
template <class T>
void run_cg(benchmark::State& state, Suite& suite, const Lattice& given, LinkStorage storage, int count) {
  const Lattice lattice = with_reach_3(given);
  const ImprovedStaggered<T>& dirac = suite.problem.on<ImprovedStaggered, T>(lattice, storage);
  const StaggeredNormal<T> normal(dirac);
  SpinorField<T> b = normal.make_field(count), x = normal.make_field(count);
  fill(b, 5);
  Stopwatch stopwatch = suite.stopwatch();
  const auto solve = [&](int iterations) {
    blas::set_zero(x);
    return Cg<T>(normal, {.tolerance = detail::timing_tolerance, .max_iterations = iterations, .max_restarts = 0})
        .solve(x, b);
  };
  const double flops = solve(2).flops - solve(1).flops;
  const Cost operators = normal_cost(dirac, count);
  double all_seconds = 0.0, operator_seconds = 0.0;
  while (state.KeepRunningBatch(timed_iterations)) {
    const IterationTiming timing = time_iterations(stopwatch, timed_iterations, solve);
    if (!timing.complete) {
      state.SkipWithError("the solver stopped before its last iteration");
      continue;
    }
    state.SetIterationTime(timing.seconds);
    all_seconds += timing.seconds;
    operator_seconds += stopwatch.seconds_of(timed_iterations, [&] { normal.apply(x, b); });
  }
  if (state.error_occurred()) return;
  report(state, suite, {flops, operators.bytes + cg_vectors * vector_bytes(dirac) * count},
         all_seconds / static_cast<double>(state.iterations()));
  state.counters[counter::of_operator] = 100.0 * (flops / all_seconds) / (operators.flops / operator_seconds);
}

template <class T>
void register_staggered_cg_precision(Suite& suite, const Lattice& lattice) {
  for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows_and_determinant})) {
    for (const int count : right_hand_side_counts) {
      add_benchmark(case_name("improved_staggered_cg", variant_name(precision_name<T>(), storage), count, lattice),
                    [&suite, &lattice, storage, count](benchmark::State& state) {
                      run_cg<T>(state, suite, lattice, storage, count);
                    });
    }
  }
}

}  // namespace

void register_staggered_cg(Suite& suite, const Lattice& lattice) {
  register_staggered_cg_precision<double>(suite, lattice);
  register_staggered_cg_precision<float>(suite, lattice);
  register_staggered_cg_precision<half>(suite, lattice);
}

}  // namespace kaon::perf
