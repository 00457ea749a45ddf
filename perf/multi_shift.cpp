// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/staggered_normal.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

namespace kaon::perf {
namespace {

constexpr double mass = 0.01;
constexpr int shifts_of_all = 10;

/// Shifts as the poles of a rational approximation have them: 4 m^2 + sigma_s = 4 m^2 3^s.
std::vector<double> poles() {
  std::vector<double> shifts;
  double factor = 1.0;
  for (int s = 0; s < shifts_of_all; ++s, factor *= 3.0) shifts.push_back(4.0 * mass * mass * (factor - 1.0));
  return shifts;
}
/// Masses that are close to each other: m_s = m (1 + s / 2).
std::vector<double> masses() {
  std::vector<double> shifts;
  for (int s = 0; s < shifts_of_all; ++s) {
    const double m_s = mass * (1.0 + 0.5 * s);
    shifts.push_back(4.0 * (m_s - mass) * (m_s + mass));
  }
  return shifts;
}

struct Outcome {
  double seconds;
  double flops;
  int iterations;  // of the lightest shift
  double true_residual;
};

Outcome outcome(double seconds, std::span<const SolveResult> results) {
  Outcome all{seconds, 0.0, results[0].iterations(), 0.0};
  for (const SolveResult& result : results) {
    if (!result.converged()) all.seconds = 0.0;
    all.flops += result.flops;
    all.true_residual = std::max(all.true_residual, result.true_residual());
  }
  return all;
}

/// All shifts, and the smallest alone by CG in the same precisions, in turns: work in double, in single, or in single
/// and then in half.
template <class S, class R>
void run_shifts(benchmark::State& state, Suite& suite, const Lattice& given, const std::vector<double>& shifts) {
  const Lattice lattice = with_reach_3(given);
  const auto& rough = suite.problem.on<ImprovedStaggered, double>(lattice, LinkStorage::full);
  const ImprovedStaggered<double> dirac(rough.fat(), rough.third(), {.mass = mass});
  const StaggeredNormal<double> normal(dirac);
  const StaggeredNormal<S> inner = normal_in<S>(dirac, suite.halo);
  const StaggeredNormal<R> refining = normal_in<R>(dirac, suite.halo);
  SpinorField<double> b = normal.make_field(1), alone = normal.make_field(1);
  std::vector<SpinorField<double>> x;
  for (std::size_t s = 0; s < shifts.size(); ++s) x.push_back(normal.make_field(1));
  fill(b, 9);

  Stopwatch stopwatch = suite.stopwatch();
  const auto solve_all = [&] {
    stopwatch.start();
    std::vector<SolveResult> results;
    if constexpr (std::is_same_v<S, double>) {
      results = MultiShiftCg<double>(normal, shifts, {.tolerance = solve_tolerance}).solve(x, b);
    } else {
      results = MultiShiftCg<double, S, R>(normal, inner, refining, shifts, {.tolerance = solve_tolerance}).solve(x, b);
    }
    return outcome(stopwatch.stop(), results);
  };
  const auto solve_alone = [&] {
    blas::set_zero(alone);
    stopwatch.start();
    const SolveResult result = Cg<double, R>(normal, refining, {.tolerance = solve_tolerance}).solve(alone, b);
    return outcome(stopwatch.stop(), std::span(&result, 1));
  };
  solve_all();
  solve_alone();
  double seconds = 0.0, seconds_alone = 0.0;
  Outcome all{}, one{};
  for (auto _ : state) {
    one = solve_alone();
    all = solve_all();
    if (all.seconds == 0.0 || one.seconds == 0.0) return state.SkipWithError("a solve did not converge");
    state.SetIterationTime(all.seconds);
    seconds += all.seconds;
    seconds_alone += one.seconds;
  }
  const double solves = static_cast<double>(state.iterations());
  report(state, suite, {all.flops, all.iterations * inner.bytes()}, seconds / solves);
  state.counters["of_lightest"] = seconds / seconds_alone;
  state.counters["ms_lightest"] = 1e3 * seconds_alone / solves;
  state.counters["krylov_iterations"] = all.iterations;
  state.counters["lightest_iterations"] = one.iterations;
  state.counters["true_residual"] = all.true_residual;
}

}  // namespace

void register_multi_shift(Suite& suite, const Lattice& lattice) {
  const auto add = [&](const char* what, const char* precisions, const std::vector<double>& shifts, auto run) {
    add_benchmark(std::string("multi_shift_") + what + "/" + precisions + "/rhs:1/" + to_string(lattice.extents()),
                  [&suite, &lattice, shifts, run](benchmark::State& state) { run(state, suite, lattice, shifts); });
  };
  add("poles", "double", poles(), run_shifts<double, double>);
  add("poles", "double-single", poles(), run_shifts<float, float>);
  add("poles", "double-single-half", poles(), run_shifts<float, half>);
  add("masses", "double", masses(), run_shifts<double, double>);
  add("masses", "double-single", masses(), run_shifts<float, float>);
  add("masses", "double-single-half", masses(), run_shifts<float, half>);
}

}  // namespace kaon::perf
