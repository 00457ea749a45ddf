// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/bicgstab.hpp>

#include <optional>

namespace kaon::perf {
namespace {

/// Solves the even-odd system from zero, iterating in S with reliable updates in double, and reports time to solution.
template <class S>
void run_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, LinkStorage storage, int count) {
  const WilsonClover<double>& dirac = suite.problem.on<WilsonClover, double>(lattice, storage);
  const Schur<double> schur(dirac);
  std::optional<Schur<S>> inner;
  if constexpr (!std::same_as<S, double>)
    inner.emplace(suite.problem.on<WilsonClover, S>(lattice, storage, suite.halo));
  SpinorField<double> b = schur.make_field(count), x = schur.make_field(count);
  fill(b, 7);
  const auto solve = [&] {
    blas::set_zero(x);
    if constexpr (std::same_as<S, double>) {
      return BiCgStab<double>(schur, {.tolerance = solve_tolerance}).solve(x, b);
    } else {
      return BiCgStab<double, S>(schur, *inner, {.tolerance = solve_tolerance}).solve(x, b);
    }
  };
  double seconds = 0.0;
  const SolveResult result = measure_solves(state, suite, solve, seconds);
  if (state.error_occurred()) return;
  const int iterations = result.iterations();
  const Cost operators = schur_cost(dirac, count);
  report(state, suite, {result.flops, 2.0 * iterations * operators.bytes}, seconds);
  state.counters["krylov_iterations"] = iterations;
  state.counters["updates"] = result.reliable_updates;
  state.counters["true_residual"] = result.true_residual();
}

}  // namespace

void register_solves(Suite& suite, const Lattice& lattice) {
  for (const int count : right_hand_side_counts) {
    for (const LinkStorage storage : link_storages()) {
      const auto add = [&](const char* precisions, auto run) {
        add_benchmark(case_name("solve_bicgstab", variant_name(precisions, storage), count, lattice),
                      [&suite, &lattice, storage, count, run](benchmark::State& state) {
                        run(state, suite, lattice, storage, count);
                      });
      };
      add("double", run_solve<double>);
      add("double-single", run_solve<float>);
      add("double-half", run_solve<half>);
    }
  }
}

}  // namespace kaon::perf
