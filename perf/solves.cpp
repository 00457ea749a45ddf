// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <optional>
#include <vector>

namespace kaon::perf {
namespace {

constexpr int shifted_masses = 8;
/// Light quarks on large lattices take more than the 10000 that solvers have.
constexpr int most_iterations = 40000;

/// Solves the even-odd system from zero, iterating in S with reliable updates in double.
template <class S>
void run_clover(benchmark::State& state, Suite& suite, const Lattice& lattice, LinkStorage storage, int count) {
  const WilsonClover<double>& dirac = suite.problem.on<WilsonClover, double>(lattice, storage);
  const Schur<double> schur(dirac);
  std::optional<Schur<S>> inner;
  if constexpr (!std::same_as<S, double>)
    inner.emplace(suite.problem.on<WilsonClover, S>(lattice, storage, suite.halo));
  SpinorField<double> b = schur.make_field(count), x = schur.make_field(count);
  fill(b, 7);
  measure_solves(state, suite, 2.0 * schur_cost(dirac, count).bytes, [&] {
    blas::set_zero(x);
    if constexpr (std::same_as<S, double>) {
      return BiCgStab<double>(schur, {.tolerance = solve_tolerance}).solve(x, b);
    } else {
      return BiCgStab<double, S>(schur, *inner, {.tolerance = solve_tolerance}).solve(x, b);
    }
  });
}

/// Solves the same system by GCR-DD with one block for each process, iterating in S.
template <class S>
void run_gcr_dd(benchmark::State& state, Suite& suite, const Lattice& lattice, LinkStorage storage, int count) {
  const WilsonClover<double>& dirac = suite.problem.on<WilsonClover, double>(lattice, storage);
  const Schur<double> schur(dirac);
  const Schur<S> inner(suite.problem.on<WilsonClover, S>(lattice, storage, suite.halo));
  const Schwarz<S> schwarz(inner, {});
  const Gcr<S> gcr(inner, schwarz, {.solve = {.tolerance = SolverParameters().reliable_delta}});
  const InPrecision<double, S> solver(schur, gcr, {.tolerance = solve_tolerance, .max_refinements = 100});
  SpinorField<double> b = schur.make_field(count), x = schur.make_field(count);
  fill(b, 7);
  measure_solves(state, suite, 0.0, [&] {
    blas::set_zero(x);
    return solver.solve(x, b);
  });
}

/// N x = b on even sites from zero, N = 4 m^2 - D_eo D_oe, by `Krylov`, CG or block CG, that iterates in S.
template <template <class, class> class Krylov, class S>
void run_hisq(benchmark::State& state, Suite& suite, const Lattice&, LinkStorage storage, int count) {
  const ImprovedStaggered<double>& dirac = suite.hisq();
  const StaggeredNormal<double> normal(ImprovedStaggered<double>(dirac, storage));
  SpinorField<double> b = normal.make_field(count), x = normal.make_field(count);
  fill(b, 7);
  std::optional<StaggeredNormal<S>> inner;
  if constexpr (!std::is_same_v<S, double>) inner.emplace(ImprovedStaggered<S>(dirac, storage, suite.halo));
  const SolverParameters parameters{.tolerance = solve_tolerance, .max_iterations = most_iterations};
  measure_solves(state, suite, normal.bytes(), [&] {
    blas::set_zero(x);
    if constexpr (std::is_same_v<S, double>) {
      return Krylov<double, double>(normal, parameters).solve(x, b);
    } else {
      return Krylov<double, S>(normal, *inner, parameters).solve(x, b);
    }
  });
}

/// Solves for the masses m + i^2 / 100 at once, with a sweep in S and refinement in R.
template <class S, class R>
void run_hisq_shifts(benchmark::State& state, Suite& suite, const Lattice&, LinkStorage storage, int count) {
  const ImprovedStaggered<double>& dirac = suite.hisq();
  const double m = dirac.parameters().mass;
  std::vector<double> shifts;
  for (int i = 0; i < shifted_masses; ++i) {
    const double m_i = m + 0.01 * i * i;
    shifts.push_back(4.0 * (m_i - m) * (m_i + m));
  }
  const StaggeredNormal<double> normal(ImprovedStaggered<double>(dirac, storage));
  const StaggeredNormal<S> inner(ImprovedStaggered<S>(dirac, storage, suite.halo));
  const StaggeredNormal<R> refining(ImprovedStaggered<R>(dirac, storage, suite.halo));
  SpinorField<double> b = normal.make_field(count);
  std::vector<SpinorField<double>> x;
  for (std::size_t s = 0; s < shifts.size(); ++s) x.push_back(normal.make_field(count));
  fill(b, 9);
  measure_solves(state, suite, inner.bytes(), [&] {
    std::vector<SolveResult> results;
    if constexpr (std::is_same_v<S, double>) {
      results = MultiShiftCg<double>(normal, shifts, {.tolerance = solve_tolerance}).solve(x, b);
    } else {
      results = MultiShiftCg<double, S, R>(normal, inner, refining, shifts, {.tolerance = solve_tolerance}).solve(x, b);
    }
    SolveResult all = std::move(results.front());
    for (std::size_t s = 1; s < results.size(); ++s) all.append_right_hand_sides(results[s]);
    return all;
  });
}

}  // namespace

void register_solves(Suite& suite, const Lattice& lattice) {
  const auto add = [&](const char* name, const char* precisions, LinkStorage storage, int count, auto run) {
    add_benchmark(case_name(name, variant_name(precisions, storage), count, lattice),
                  [&suite, &lattice, storage, count, run](benchmark::State& state) {
                    run(state, suite, lattice, storage, count);
                  });
  };
  const std::vector<LinkStorage> hisq_storages = built({LinkStorage::full, LinkStorage::two_rows_and_determinant});
  for (const int count : right_hand_side_counts) {
    for (const LinkStorage storage : link_storages()) {
      add("solve_bicgstab", "double", storage, count, run_clover<double>);
      add("solve_bicgstab", "double-single", storage, count, run_clover<float>);
      add("solve_bicgstab", "double-half", storage, count, run_clover<half>);
    }
    for (const LinkStorage storage : built({LinkStorage::two_rows})) {
      add("solve_gcr_dd", "double-half", storage, count, run_gcr_dd<half>);
    }
    for (const LinkStorage storage : hisq_storages) {
      add("solve_hisq", "double", storage, count, run_hisq<Cg, double>);
      add("solve_hisq", "double-single", storage, count, run_hisq<Cg, float>);
      add("solve_hisq", "double-half", storage, count, run_hisq<Cg, half>);
      add("solve_hisq_block", "double", storage, count, run_hisq<BlockCg, double>);
      add("solve_hisq_block", "double-single", storage, count, run_hisq<BlockCg, float>);
    }
  }
  for (const LinkStorage storage : hisq_storages) {
    add("solve_hisq_shifts", "double", storage, 1, run_hisq_shifts<double, double>);
    add("solve_hisq_shifts", "double-single", storage, 1, run_hisq_shifts<float, float>);
    add("solve_hisq_shifts", "double-single-half", storage, 1, run_hisq_shifts<float, half>);
  }
}

}  // namespace kaon::perf
