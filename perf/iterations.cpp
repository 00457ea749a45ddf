// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"
#include "solvers/contract/targets.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::perf {
namespace {

/// Read and written in an iteration beside the operators.
constexpr int bicgstab_vectors = 13, cg_vectors = 8;

SolverParameters bounds(int iterations) {
  return {.tolerance = detail::timing_tolerance, .max_iterations = iterations, .max_restarts = 0};
}

/// The even-odd preconditioned clover operator.
template <class T>
void run_schur(benchmark::State& state, Suite& suite, const Lattice& lattice, LinkStorage storage, int count) {
  const WilsonClover<T>& dirac = suite.problem.on<WilsonClover, T>(lattice, storage);
  const Schur<T> schur(dirac);
  SpinorField<T> in = schur.make_field(count), out = schur.make_field(count);
  fill(in, 5);
  measure(state, suite, schur_cost(dirac, count), [&] { schur.apply(out, in); });
}

/// BiCGstab on the same operator.
template <class T>
void run_bicgstab(benchmark::State& state, Suite& suite, const Lattice& lattice, LinkStorage storage, int count) {
  const WilsonClover<T>& dirac = suite.problem.on<WilsonClover, T>(lattice, storage);
  const Schur<T> schur(dirac);
  SpinorField<T> b = schur.make_field(count), x = schur.make_field(count), between = schur.make_field(count);
  fill(b, 5);
  const auto solve = [&](int iterations) {
    blas::set_zero(x);
    return BiCgStab<T>(schur, bounds(iterations)).solve(x, b);
  };
  measure_iterations(state, suite, schur_cost(dirac, count) + schur_cost(dirac, count),
                     bicgstab_vectors * vector_bytes(dirac) * count, solve, [&] {
                       schur.apply(between, b);
                       schur.apply(x, between);
                     });
}

/// CG on `StaggeredNormal`: two hops, the second with x.
template <class T>
void run_staggered_cg(benchmark::State& state, Suite& suite, const Lattice& given, LinkStorage storage, int count) {
  const Lattice lattice = with_reach_3(given);
  const ImprovedStaggered<T>& dirac = suite.problem.on<ImprovedStaggered, T>(lattice, storage);
  const StaggeredNormal<T> normal(dirac);
  SpinorField<T> b = normal.make_field(count), x = normal.make_field(count);
  fill(b, 5);
  const auto solve = [&](int iterations) {
    blas::set_zero(x);
    return Cg<T>(normal, bounds(iterations)).solve(x, b);
  };
  measure_iterations(state, suite,
                     hop_cost(dirac, SiteTerm::none, false, count) + hop_cost(dirac, SiteTerm::none, true, count),
                     cg_vectors * vector_bytes(dirac) * count, solve, [&] { normal.apply(x, b); });
}

template <class T>
void register_iterations_in(Suite& suite, const Lattice& lattice) {
  const auto add = [&](const char* name, std::initializer_list<LinkStorage> storages, auto run) {
    for (const LinkStorage storage : built(storages)) {
      for (const int count : right_hand_side_counts) {
        add_benchmark(case_name(name, variant_name(precision_name<T>(), storage), count, lattice),
                      [&suite, &lattice, storage, count, run](benchmark::State& state) {
                        run(state, suite, lattice, storage, count);
                      });
      }
    }
  };
  add("schur", {LinkStorage::full, LinkStorage::two_rows}, run_schur<T>);
  add("bicgstab", {LinkStorage::full, LinkStorage::two_rows}, run_bicgstab<T>);
  add("improved_staggered_cg", {LinkStorage::full, LinkStorage::two_rows_and_determinant}, run_staggered_cg<T>);
}

}  // namespace

void register_iterations(Suite& suite, const Lattice& lattice) {
  register_iterations_in<double>(suite, lattice);
  register_iterations_in<float>(suite, lattice);
  register_iterations_in<half>(suite, lattice);
}

}  // namespace kaon::perf
