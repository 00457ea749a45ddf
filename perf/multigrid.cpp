// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"
#include "perf/measure.hpp"

#include <kaon/multigrid/multigrid.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon::perf {
namespace {

const WilsonClover<double>& clover(Suite& suite) {
  return suite.problem.on<WilsonClover, double>(suite.problem.gauge().lattice(), LinkStorage::full);
}
const ImprovedStaggered<double>& hisq(Suite& suite) { return suite.hisq(); }

/// The multigrid of all benchmarks of a family, made on first use.
using KeptMultigrid = std::optional<Multigrid<double>>;

/// Times a setup with tuned kernels, and reports its memory; `kept` is the last one.
template <class Dirac>
void run_setup(benchmark::State& state, const Suite& suite, const Dirac& dirac, KeptMultigrid& kept) {
  const MultigridParameters parameters{.tolerance = solve_tolerance};
  if (!kept) kept.emplace(dirac, parameters);  // kernels are tuned on first use
  kept.reset();
  const detail::AllocatedBytes bytes;
  for (auto _ : state) {
    kept.reset();
    Stopwatch stopwatch = suite.stopwatch();
    stopwatch.start();
    kept.emplace(dirac, parameters);
    state.SetIterationTime(stopwatch.stop());
  }
  report(state, suite, {}, kept->report().setup_seconds);
  const auto sites = static_cast<double>(dirac.lattice().local_volume());
  state.counters["bytes/site"] = static_cast<double>(bytes.fields().now) / sites;
  state.counters["peak_bytes/site"] = static_cast<double>(bytes.fields().peak) / sites;
}

/// Times M x = b on all sites by `multigrid`, which is set up before.
template <class Dirac>
void run_solve(benchmark::State& state, const Suite& suite, const Dirac& dirac, const Multigrid<double>& multigrid,
               int count) {
  SpinorField<double> b = dirac.make_field(count), x = dirac.make_field(count);
  fill(b, 7);
  measure_solves(state, suite, 0.0, [&] {
    blas::set_zero(x);
    return multigrid.solve(x, b);
  });
}

/// Shows what was built beside the time.
void report_hierarchy(benchmark::State& state, const MultigridReport& multigrid) {
  state.counters["levels"] = static_cast<double>(multigrid.levels.size());
  state.counters["bootstraps"] = multigrid.bootstraps;
  state.counters["convergence"] = multigrid.convergence;
  state.counters["setup"] = multigrid.setup_seconds;
  for (std::size_t k = 0; k < multigrid.levels.size(); ++k) {
    state.counters["%_of_level_" + std::to_string(k)] = 100.0 * multigrid.levels[k].share;
    state.counters["components_of_level_" + std::to_string(k)] = multigrid.levels[k].components;
  }
}

/// Parameters by hand, with the blocks of a multigrid that was given nothing.
MultigridParameters by_hand(const MultigridReport& chosen, int vectors, int smoothing_steps, int cycle_steps) {
  MultigridParameters parameters{.tolerance = solve_tolerance};
  for (std::size_t level = 0; level + 1 < chosen.levels.size(); ++level) {
    parameters.levels.push_back({.block = chosen.levels[level].block, .vectors = vectors});
  }
  parameters.smoothing_steps = smoothing_steps;
  parameters.cycle_steps = cycle_steps;
  return parameters;
}

/// multigrid_setup<suffix>, solve<suffix>_multigrid and multigrid_by_hand<suffix>.
template <class Dirac>
void register_family(Suite& suite, const Lattice& lattice, const std::string& suffix, const Dirac& (*find)(Suite&),
                     const std::vector<int>& vectors_by_hand) {
  const auto owned = std::make_shared<KeptMultigrid>();
  suite.kept.push_back(owned);  // benchmarks themselves live longer than Kokkos
  KeptMultigrid* const kept = owned.get();
  const auto make = [&suite, find, kept] {
    if (!*kept) kept->emplace(find(suite), MultigridParameters{.tolerance = solve_tolerance});
  };
  add_benchmark("multigrid_setup" + suffix + "/single/" + to_string(lattice.extents()),
                [&suite, find, kept](benchmark::State& state) {
                  run_setup(state, suite, find(suite), *kept);
                  report_hierarchy(state, (*kept)->report());
                });
  const std::string solve = "solve" + suffix + "_multigrid", hand = "multigrid_by_hand" + suffix;
  for (const int count : {1, 3, 12}) {
    add_benchmark(case_name(solve.c_str(), "double", count, lattice),
                  [&suite, find, kept, make, count](benchmark::State& state) {
                    make();
                    run_solve(state, suite, find(suite), **kept, count);
                    report_hierarchy(state, (*kept)->report());
                  });
  }
  for (const int vectors : vectors_by_hand) {
    for (const int smoothing : {2, 4, 6, 8}) {
      for (const int cycle : {1, 2, 3}) {
        const std::string variant = "double/vectors:" + std::to_string(vectors) +
                                    "/smoothing:" + std::to_string(smoothing) + "/cycle:" + std::to_string(cycle);
        for (const int count : right_hand_side_counts) {
          add_benchmark(case_name(hand.c_str(), variant, count, lattice), [&suite, find, kept, make, vectors, smoothing,
                                                                           cycle, count](benchmark::State& state) {
            make();
            const Dirac& dirac = find(suite);
            const Multigrid<double> multigrid(dirac, by_hand((*kept)->report(), vectors, smoothing, cycle));
            run_solve(state, suite, dirac, multigrid, count);
            report_hierarchy(state, multigrid.report());
          });
        }
      }
    }
  }
}

}  // namespace

void register_multigrid(Suite& suite, const Lattice& lattice) {
  register_family(suite, lattice, "", clover, {24, 32});
  register_family(suite, lattice, "_hisq", hisq, {32, 48, 64});
}

}  // namespace kaon::perf
