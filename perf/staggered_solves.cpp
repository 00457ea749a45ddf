// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"
#include "perf/multigrid_settings.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/staggered_normal.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::perf {
namespace {

constexpr int shifted_masses = 8;
/// Light quarks on large lattices take more than the 10000 that solvers have.
constexpr int most_iterations = 40000;

/// HISQ quarks on the gauge field that was given, made on first use.
using KeptDirac = std::optional<ImprovedStaggered<double>>;
/// Its multigrid, likewise.
using KeptMultigrid = std::optional<Multigrid<double>>;

const ImprovedStaggered<double>& find_dirac(Suite& suite, const Lattice& given, KeptDirac& kept) {
  if (!kept) {
    GaugeField<double> links(with_reach_3(given));
    links.from_host(suite.problem.gauge().to_host());
    reunitarize(links);
    const ImprovedLinks improved = hisq_links(links);
    kept.emplace(improved.fat, improved.third,
                 ImprovedStaggeredParameters{.mass = suite.staggered_mass, .third_weight = improved.third_weight});
  }
  return *kept;
}

/// N x = b on even sites from zero, N = 4 m^2 - D_eo D_oe, by CG that iterates in S.
template <class S>
void run_hisq_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptDirac& kept, LinkStorage storage,
                    int count) {
  const ImprovedStaggered<double>& dirac = find_dirac(suite, lattice, kept);
  const StaggeredNormal<double> normal(ImprovedStaggered<double>(dirac, storage));
  SpinorField<double> b = normal.make_field(count), x = normal.make_field(count);
  fill(b, 7);
  std::optional<StaggeredNormal<S>> inner;
  if constexpr (!std::is_same_v<S, double>) inner.emplace(ImprovedStaggered<S>(dirac, storage, suite.halo));
  const SolverParameters parameters{.tolerance = solve_tolerance, .max_iterations = most_iterations};
  const auto solve = [&] {
    blas::set_zero(x);
    if constexpr (std::is_same_v<S, double>) {
      return Cg<double>(normal, parameters).solve(x, b);
    } else {
      return Cg<double, S>(normal, *inner, parameters).solve(x, b);
    }
  };
  double seconds = 0.0;
  const SolveResult result = measure_solves(state, suite, solve, seconds);
  if (state.error_occurred()) return;
  report(state, suite, {result.flops, result.iterations() * normal.bytes()}, seconds);
  state.counters["krylov_iterations"] = result.iterations();
  state.counters["updates"] = result.reliable_updates;
  state.counters["true_residual"] = result.true_residual();
}

/// Solves for the masses m + i^2 / 100 at once, with a sweep in S and refinement in R.
template <class S, class R>
void run_hisq_shifts(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptDirac& kept,
                     LinkStorage storage, ShiftSweep sweep) {
  const ImprovedStaggered<double>& dirac = find_dirac(suite, lattice, kept);
  const double m = dirac.parameters().mass;
  std::vector<double> shifts;
  for (int i = 0; i < shifted_masses; ++i) {
    const double m_i = m + 0.01 * i * i;
    shifts.push_back(4.0 * (m_i - m) * (m_i + m));
  }
  const StaggeredNormal<double> normal(ImprovedStaggered<double>(dirac, storage));
  const StaggeredNormal<S> inner(ImprovedStaggered<S>(dirac, storage, suite.halo));
  const StaggeredNormal<R> refining(ImprovedStaggered<R>(dirac, storage, suite.halo));
  SpinorField<double> b = normal.make_field(1);
  std::vector<SpinorField<double>> x;
  for (std::size_t s = 0; s < shifts.size(); ++s) x.push_back(normal.make_field(1));
  fill(b, 9);
  const auto solve = [&] {
    std::vector<SolveResult> results;
    if constexpr (std::is_same_v<S, double>) {
      results = MultiShiftCg<double>(normal, shifts, {.tolerance = solve_tolerance}).solve(x, b);
    } else {
      results =
          MultiShiftCg<double, S, R>(normal, inner, refining, shifts, {.tolerance = solve_tolerance, .sweep = sweep})
              .solve(x, b);
    }
    return results;
  };
  std::vector<SolveResult> results = solve();
  Stopwatch stopwatch = suite.stopwatch();
  double all_seconds = 0.0;
  for (auto _ : state) {
    stopwatch.start();
    results = solve();
    const double seconds = stopwatch.stop();
    state.SetIterationTime(seconds);
    all_seconds += seconds;
  }
  Cost cost{};
  double residual = 0.0;
  for (const SolveResult& result : results) {
    if (!result.converged()) return state.SkipWithError("a shift did not converge");
    cost.flops += result.flops;
    residual = std::max(residual, result.true_residual());
  }
  cost.bytes = results.front().iterations() * inner.bytes();
  report(state, suite, cost, all_seconds / static_cast<double>(state.iterations()));
  state.counters["krylov_iterations"] = results.front().iterations();
  state.counters["true_residual"] = residual;
}

/// M x = b on all sites by `multigrid`.
void run_hisq_multigrid_solve(benchmark::State& state, Suite& suite, const ImprovedStaggered<double>& dirac,
                              const Multigrid<double>& multigrid, int count) {
  const SolveResult result = measure_multigrid_solve(state, suite, dirac, multigrid, count);
  if (state.error_occurred()) return;
  state.counters["krylov_iterations"] = result.iterations();
}

/// Solves HISQ quarks by multigrid with a setting by hand, with the blocks of `stored`.
void run_hisq_setting(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptDirac& kept,
                      KeptMultigrid& chosen, SettingVectors& vectors, const MultigridSetting& setting, int count) {
  const ImprovedStaggered<double>& dirac = find_dirac(suite, lattice, kept);
  if (!chosen) chosen.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
  const Multigrid<double> multigrid = multigrid_by_hand(dirac, chosen->report(), vectors, setting);
  run_hisq_multigrid_solve(state, suite, dirac, multigrid, count);
  state.counters["setup"] = multigrid.report().setup_seconds;
}

/// M x = b on all sites by multigrid, which is set up before; `setup`: the setup alone, with kernels tuned.
void run_hisq_multigrid(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptDirac& kept,
                        KeptMultigrid& multigrid, bool setup, int count) {
  const ImprovedStaggered<double>& dirac = find_dirac(suite, lattice, kept);
  if (setup) {
    measure_multigrid_setup(state, suite, lattice, dirac, multigrid);
  } else {
    if (!multigrid) multigrid.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
    run_hisq_multigrid_solve(state, suite, dirac, *multigrid, count);
    if (state.error_occurred()) return;
  }
  state.counters["bootstraps"] = multigrid->report().bootstraps;
  state.counters["convergence"] = multigrid->report().convergence;
}

}  // namespace

void register_staggered_solves(Suite& suite, const Lattice& lattice) {
  const auto owned = std::make_shared<KeptDirac>();
  suite.kept.push_back(owned);  // benchmarks themselves live longer than Kokkos
  KeptDirac* const kept = owned.get();
  const auto owned_multigrid = std::make_shared<KeptMultigrid>();
  suite.kept.push_back(owned_multigrid);
  const auto add_multigrid = [&](const std::string& name, bool setup, int count) {
    add_benchmark(name, [&suite, &lattice, kept, multigrid = owned_multigrid.get(), setup, count](auto& state) {
      run_hisq_multigrid(state, suite, lattice, *kept, *multigrid, setup, count);
    });
  };
  add_multigrid("multigrid_setup_hisq/single/" + to_string(lattice.extents()), true, 1);
  for (const int count : {1, 3, 12}) {
    add_multigrid(case_name("solve_hisq_multigrid", "double", count, lattice), false, count);
  }
  const auto vectors = std::make_shared<SettingVectors>();
  suite.kept.push_back(vectors);
  for (const MultigridSetting& setting : multigrid_settings({{32, 32}, {48, 48}, {64, 64}}, {1, 2})) {
    add_benchmark(case_name("multigrid_by_hand_hisq", setting.name(), 12, lattice),
                  [&suite, &lattice, kept, chosen = owned_multigrid.get(), all = vectors.get(), setting](auto& state) {
                    run_hisq_setting(state, suite, lattice, *kept, *chosen, *all, setting, 12);
                  });
  }
  for (const int count : right_hand_side_counts) {
    for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows_and_determinant})) {
      const auto add = [&](const char* precisions, auto run) {
        add_benchmark(case_name("solve_hisq", variant_name(precisions, storage), count, lattice),
                      [&suite, &lattice, kept, storage, count, run](benchmark::State& state) {
                        run(state, suite, lattice, *kept, storage, count);
                      });
      };
      add("double", run_hisq_solve<double>);
      add("double-single", run_hisq_solve<float>);
      add("double-half", run_hisq_solve<half>);
    }
  }
  for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows_and_determinant})) {
    const auto add = [&](const std::string& variant, ShiftSweep sweep, auto run) {
      add_benchmark(case_name("solve_hisq_shifts", variant, 1, lattice),
                    [&suite, &lattice, kept, storage, sweep, run](benchmark::State& state) {
                      run(state, suite, lattice, *kept, storage, sweep);
                    });
    };
    add(variant_name("double", storage), ShiftSweep::falling, run_hisq_shifts<double, double>);
    for (const auto& [sweep, name] :
         {std::pair{ShiftSweep::falling, "/sweep:falling"}, std::pair{ShiftSweep::reliable, "/sweep:reliable"}}) {
      add(variant_name("double-single", storage) + name, sweep, run_hisq_shifts<float, float>);
      add(variant_name("double-single-half", storage) + name, sweep, run_hisq_shifts<float, half>);
    }
  }
}

}  // namespace kaon::perf
