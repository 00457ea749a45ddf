// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "perf/cost.hpp"
#include "perf/suite.hpp"

#include <kaon/comm/energy.hpp>

namespace kaon::perf {

/// Names of the counters that benchmarks report.
namespace counter {
inline constexpr const char* gflops = "Gflop/s";
inline constexpr const char* gigabytes = "GB/s";             ///< minimal bytes / time
inline constexpr const char* of_ceiling = "%_of_ceiling";    ///< of the copy bandwidth / minimal bytes
inline constexpr const char* of_operator = "%_of_operator";  ///< Gflop/s, of those of the operator alone
}  // namespace counter

inline void report(benchmark::State& state, const Suite& suite, const Cost& cost, double seconds_per_call) {
  state.counters[counter::gflops] = 1e-9 * cost.flops / seconds_per_call;
  state.counters[counter::gigabytes] = 1e-9 * cost.bytes / seconds_per_call;
  state.counters[counter::of_ceiling] = 100.0 * cost.bytes / seconds_per_call / suite.copy_bandwidth;
}

/// Times `body`, one call of which costs `cost`: as many calls as Google Benchmark requests, between two fences, after
/// one that does not count.
template <class Body>
void measure(benchmark::State& state, const Suite& suite, const Cost& cost, const Body& body) {
  Stopwatch stopwatch = suite.stopwatch();
  body();
  double seconds = 0.0;
  while (state.KeepRunningBatch(state.max_iterations)) {
    seconds = stopwatch.seconds_of(state.max_iterations, body);
    state.SetIterationTime(seconds);
  }
  report(state, suite, cost, seconds / static_cast<double>(state.iterations()));
}

/// Times `solve()`, which returns a `SolveResult`, once more after one that does not count; the last result. Seconds of
/// a solve in `seconds`; joules in a counter, true where all solves take a second or more.
template <class Solve>
auto measure_solves(benchmark::State& state, const Suite& suite, const Solve& solve, double& seconds) {
  auto result = solve();
  seconds = 0.0;
  const EnergyMeter meter(suite.communicator);
  for (auto _ : state) {
    Stopwatch stopwatch = suite.stopwatch();
    stopwatch.start();
    result = solve();
    const double time = stopwatch.stop();
    state.SetIterationTime(time);
    seconds += time;
  }
  if (const auto joules = meter.joules()) {
    state.counters["joules"] = *joules / static_cast<double>(state.iterations());
  }
  if (!result.converged()) state.SkipWithError("the solve did not converge");
  seconds /= static_cast<double>(state.iterations());
  return result;
}

/// Iterations of a solver.
struct IterationTiming {
  bool complete = true;  ///< all right-hand sides ran for all iterations
  double seconds = 0.0;  ///< of the timed iterations
};

/// By how much a solve takes longer that has `timed` iterations more than those of the warm-up. `solve(iterations)`
/// starts from zero and returns a `SolveResult`. A callback that reports iterations would cost agreements of
/// processes.
template <class Solve>
IterationTiming time_iterations(Stopwatch& stopwatch, int timed, const Solve& solve) {
  IterationTiming timing;
  const auto seconds_of = [&](int iterations) {
    return stopwatch.seconds_of(1, [&] {
      for (const auto& r : solve(iterations).right_hand_sides) {
        timing.complete = timing.complete && r.iterations == iterations;
      }
    });
  };
  const double warm_up = seconds_of(warm_up_iterations);
  timing.seconds = seconds_of(warm_up_iterations + timed) - warm_up;
  return timing;
}

}  // namespace kaon::perf
