// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"
#include "solvers/contract/timing_tolerance.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>

namespace kaon::perf {
namespace {

enum class Method { cgnr, cg, bicgstab };

struct SolverCase {
  const char* name;
  Method method;
  int vectors;  // read and written in an iteration beside two applications of the Schur operator
};

constexpr SolverCase solver_cases[] = {
    {"cgnr", Method::cgnr, 8}, {"cg_normal", Method::cg, 8}, {"bicgstab", Method::bicgstab, 13}};

/// A method on the even-odd preconditioned clover operator.
template <class T>
class KrylovRun {
 public:
  KrylovRun(const Suite& suite, const WilsonClover<T>& dirac, const SolverCase& which, int count)
      : which_(which),
        schur_(dirac),
        normal_(schur_),
        stopwatch_(suite.stopwatch()),
        b_(schur_.make_field(count)),
        x_(schur_.make_field(count)),
        between_(schur_.make_field(count)) {
    fill(b_, 5);
  }

  /// From zero.
  SolveResult solve(int iterations) {
    blas::set_zero(x_);
    const SolverParameters parameters{
        .tolerance = detail::timing_tolerance, .max_iterations = iterations, .max_restarts = 0};
    switch (which_.method) {
      case Method::cgnr:
        return Cgnr<T>(schur_, parameters).solve(x_, b_);
      case Method::cg:
        return Cg<T>(normal_, parameters).solve(x_, b_);
      case Method::bicgstab:
        break;
    }
    return BiCgStab<T>(schur_, parameters).solve(x_, b_);
  }

  IterationTiming time(int timed) {
    return time_iterations(stopwatch_, timed, [&](int iterations) { return solve(iterations); });
  }

  /// Flops of an iteration, operator and vectors: what a longer solve counts more than a shorter one.
  double iteration_flops() { return solve(2).flops - solve(1).flops; }

  /// Seconds of the applications of `count` iterations by themselves.
  double operator_seconds(int count) {
    return stopwatch_.seconds_of(count, [&] {
      switch (which_.method) {
        case Method::cgnr:
          schur_.apply(between_, b_);
          schur_.apply_dagger(x_, between_);
          break;
        case Method::cg:
          normal_.apply(x_, b_);
          break;
        case Method::bicgstab:
          schur_.apply(between_, b_);
          schur_.apply(x_, between_);
          break;
      }
    });
  }

 private:
  const SolverCase& which_;
  Schur<T> schur_;
  NormalOperator<T> normal_;
  Stopwatch stopwatch_;
  SpinorField<T> b_, x_, between_;
};

template <class T>
void run_solver(benchmark::State& state, Suite& suite, const Lattice& lattice, const SolverCase& which,
                LinkStorage storage, int count) {
  const WilsonClover<T>& dirac = suite.problem.on<WilsonClover, T>(lattice, storage);
  KrylovRun<T> krylov(suite, dirac, which, count);
  const Cost operators = schur_cost(dirac, count) + schur_cost(dirac, count);
  const Cost iteration{krylov.iteration_flops(), operators.bytes + which.vectors * vector_bytes(dirac) * count};

  double seconds = 0.0, operator_seconds = 0.0;
  while (state.KeepRunningBatch(timed_iterations)) {
    const IterationTiming timing = krylov.time(timed_iterations);
    if (!timing.complete) {
      state.SkipWithError("the solver stopped before its last iteration");
      continue;
    }
    state.SetIterationTime(timing.seconds);
    seconds += timing.seconds;
    operator_seconds += krylov.operator_seconds(timed_iterations);
  }
  if (state.error_occurred()) return;
  report(state, suite, iteration, seconds / static_cast<double>(state.iterations()));
  state.counters[counter::of_operator] = 100.0 * (iteration.flops / seconds) / (operators.flops / operator_seconds);
}

template <class T>
void run_schur(benchmark::State& state, Suite& suite, const Lattice& lattice, LinkStorage storage, int count) {
  const WilsonClover<T>& dirac = suite.problem.on<WilsonClover, T>(lattice, storage);
  const Schur<T> schur(dirac);
  SpinorField<T> in = schur.make_field(count), out = schur.make_field(count);
  fill(in, 5);
  measure(state, suite, schur_cost(dirac, count), [&] { schur.apply(out, in); });
}

template <class T>
void register_solver_precision(Suite& suite, const Lattice& lattice) {
  for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows})) {
    const std::string variant = variant_name(precision_name<T>(), storage);
    for (const int count : right_hand_side_counts) {
      add_benchmark(case_name("schur", variant, count, lattice),
                    [&suite, &lattice, storage, count](benchmark::State& state) {
                      run_schur<T>(state, suite, lattice, storage, count);
                    });
      for (const SolverCase& which : solver_cases) {
        add_benchmark(case_name(which.name, variant, count, lattice),
                      [&suite, &lattice, &which, storage, count](benchmark::State& state) {
                        run_solver<T>(state, suite, lattice, which, storage, count);
                      });
      }
    }
  }
}

}  // namespace

void register_solvers(Suite& suite, const Lattice& lattice) {
  register_solver_precision<double>(suite, lattice);
  register_solver_precision<float>(suite, lattice);
  register_solver_precision<half>(suite, lattice);
}

}  // namespace kaon::perf
