// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning.hpp"
#include "perf/cost.hpp"
#include "perf/suite.hpp"

#include <kaon/comm/energy.hpp>
#include <kaon/solvers/solver.hpp>

namespace kaon::perf {

/// Names of the counters that benchmarks report.
namespace counter {
inline constexpr const char* gflops = "Gflop/s";
inline constexpr const char* gigabytes = "GB/s";             ///< minimal bytes / time
inline constexpr const char* of_ceiling = "%_of_ceiling";    ///< of the copy bandwidth / minimal bytes
inline constexpr const char* of_operator = "%_of_operator";  ///< Gflop/s, of those of the operator alone
}  // namespace counter

/// The fastest of several copies of an array of `mebibytes` MiB: bytes read plus written in a second, by all
/// processes. Each process copies an array of its own.
///
/// Tried are loops with 8 and with 16 bytes an element and, on the host, memcpy, which writes past the caches.
double copy_bandwidth(const Communicator& communicator, const Execution& execution, std::size_t mebibytes);

inline void report(benchmark::State& state, const Suite& suite, const Cost& cost, double seconds_per_call) {
  state.counters[counter::gflops] = 1e-9 * cost.flops / seconds_per_call;
  state.counters[counter::gigabytes] = 1e-9 * cost.bytes / seconds_per_call;
  state.counters[counter::of_ceiling] = 100.0 * cost.bytes / seconds_per_call / suite.copy_bandwidth;
}

/// Tunes the launches of `body` by at most `most` calls of it.
template <class Body>
void tune(int most, const Body& body) {
  int calls = 0;
  detail::tune_ahead([&] {
    if (calls++ < most) body();
  });
}

/// Times `body`, one call of which costs `cost`: as many calls as Google Benchmark requests, between two fences, after
/// its launches are tuned.
template <class Body>
void measure(benchmark::State& state, const Suite& suite, const Cost& cost, const Body& body) {
  Stopwatch stopwatch = suite.stopwatch();
  tune(1000, body);
  double seconds = 0.0;
  while (state.KeepRunningBatch(state.max_iterations)) {
    seconds = stopwatch.seconds_of(state.max_iterations, body);
    state.SetIterationTime(seconds);
  }
  report(state, suite, cost, seconds / static_cast<double>(state.iterations()));
}

/// Times `solve()`, which returns a `SolveResult` and moves `iteration_bytes` in an iteration at least, after one or
/// two in which its launches are tuned. Joules in a counter are true where all solves take a second or more.
template <class Solve>
void measure_solves(benchmark::State& state, const Suite& suite, double iteration_bytes, const Solve& solve) {
  SolveResult result;
  tune(2, [&] { result = solve(); });
  double seconds = 0.0;
  const EnergyMeter meter(suite.communicator);
  for (auto _ : state) {
    Stopwatch stopwatch = suite.stopwatch();
    stopwatch.start();
    result = solve();
    const double time = stopwatch.stop();
    state.SetIterationTime(time);
    seconds += time;
  }
  const auto solves = static_cast<double>(state.iterations());
  if (const auto joules = meter.joules()) state.counters["joules"] = *joules / solves;
  if (!result.converged()) return state.SkipWithError("the solve did not converge");
  report(state, suite, {result.flops, result.iterations() * iteration_bytes}, seconds / solves);
  state.counters["krylov_iterations"] = result.iterations();
  state.counters["updates"] = result.reliable_updates;
  state.counters["true_residual"] = result.true_residual();
}

/// Times iterations of a solver by the difference of two solves; the shorter one has `warm_up_iterations`, because a
/// callback that reports iterations would make the processes wait for each other. `solve(iterations)` starts from zero
/// and returns a `SolveResult`; `apply()` are the applications of an operator in an iteration, which cost `operators`;
/// `vectors` are the other bytes of an iteration.
template <class Solve, class Apply>
void measure_iterations(benchmark::State& state, const Suite& suite, const Cost& operators, double vectors,
                        const Solve& solve, const Apply& apply) {
  Stopwatch stopwatch = suite.stopwatch();
  bool complete = true;
  const auto seconds_of = [&](int iterations) {
    return stopwatch.seconds_of(1, [&] {
      for (const auto& r : solve(iterations).right_hand_sides) complete = complete && r.iterations == iterations;
    });
  };
  const double flops = solve(2).flops - solve(1).flops;
  tune(30, [&] {
    solve(warm_up_iterations + timed_iterations);
    apply();
  });
  double seconds = 0.0, operator_seconds = 0.0;
  while (state.KeepRunningBatch(timed_iterations)) {
    const double warm_up = seconds_of(warm_up_iterations);
    const double timed = seconds_of(warm_up_iterations + timed_iterations) - warm_up;
    if (!complete) state.SkipWithError("the solver stopped before its last iteration");
    state.SetIterationTime(timed);
    seconds += timed;
    operator_seconds += stopwatch.seconds_of(timed_iterations, apply);
  }
  if (!complete) return;
  report(state, suite, {flops, operators.bytes + vectors}, seconds / static_cast<double>(state.iterations()));
  state.counters[counter::of_operator] = 100.0 * (flops / seconds) / (operators.flops / operator_seconds);
}

}  // namespace kaon::perf
