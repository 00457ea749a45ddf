// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"
#include "perf/memory.hpp"

#include <kaon/core/error.hpp>
#include <kaon/multigrid/multigrid.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::perf {
namespace {

/// The multigrid of all benchmarks on one lattice, made when first asked for.
using KeptMultigrid = std::optional<Multigrid<double>>;

const WilsonClover<double>& find_dirac(Suite& suite, const Lattice& lattice) {
  return suite.problem.on<WilsonClover, double>(lattice, LinkStorage::full);
}

/// Shows what was built beside the time.
void report_hierarchy(benchmark::State& state, const Multigrid<double>& multigrid) {
  state.counters["levels"] = static_cast<double>(multigrid.report().levels.size());
  state.counters["bootstraps"] = multigrid.report().bootstraps;
  state.counters["convergence"] = multigrid.report().convergence;
}

void run_setup(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptMultigrid& kept) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  kept.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});  // kernels are tuned on first use
  kept.reset();
  Memory& memory = Memory::instance();
  memory.reset_peak();
  const std::int64_t before = memory.now;
  for (auto _ : state) {
    kept.reset();
    Stopwatch stopwatch = suite.stopwatch();
    stopwatch.start();
    kept.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
    state.SetIterationTime(stopwatch.stop());
  }
  report(state, suite, {}, kept->report().setup_seconds);
  report_hierarchy(state, *kept);
  const auto sites = static_cast<double>(lattice.local_volume());
  state.counters["bytes/site"] = static_cast<double>(memory.now - before) / sites;
  state.counters["peak_bytes/site"] = static_cast<double>(memory.peak - before) / sites;
}

void run_solve(benchmark::State& state, Suite& suite, const WilsonClover<double>& dirac,
               const Multigrid<double>& multigrid, int count) {
  SpinorField<double> b = dirac.make_field(count), x = dirac.make_field(count);
  fill(b, 7);
  const auto solve = [&] {
    blas::set_zero(x);
    return multigrid.solve(x, b);
  };
  double seconds = 0.0;
  const SolveResult result = measure_solves(state, suite, solve, seconds);
  if (state.error_occurred()) return;
  report(state, suite, {result.flops, 0.0}, seconds);
  report_hierarchy(state, multigrid);
  state.counters["iterations"] = result.iterations();
  state.counters["true_residual"] = result.true_residual();
}

void run_multigrid_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptMultigrid& kept,
                         int count) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  if (!kept) kept.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
  run_solve(state, suite, dirac, *kept, count);
}

/// Settings by hand, to be compared with `solve_multigrid`, which is given nothing.
struct Setting {
  int vectors, lower_vectors, smoothing_steps, cycle_steps;
  std::string name() const {
    return "double/vectors:" + std::to_string(vectors) + "/smoothing:" + std::to_string(smoothing_steps) +
           "/cycle:" + std::to_string(cycle_steps);
  }
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const auto& [vectors, lower] : {std::pair(16, 24), std::pair(24, 32), std::pair(32, 32)}) {
    for (const int smoothing : {2, 4, 6, 8}) {
      for (const int cycle : {1, 2, 3}) all.push_back({vectors, lower, smoothing, cycle});
    }
  }
  return all;
}

/// Settings with as many vectors share these, which a setup makes that is told only their number.
struct Vectors {
  int count = 0;
  std::shared_ptr<const SpinorField<float>> fields{};
};

/// Blocks as kaon chooses them.
std::vector<MultigridCoarsening> levels_of(const MultigridReport& chosen, const Setting& setting) {
  std::vector<MultigridCoarsening> levels;
  for (std::size_t level = 0; level + 1 < chosen.levels.size(); ++level) {
    levels.push_back(
        {.block = chosen.levels[level].block, .vectors = level == 0 ? setting.vectors : setting.lower_vectors});
  }
  return levels;
}

void run_setting(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptMultigrid& kept, Vectors& vectors,
                 const Setting& setting, int count) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  if (!kept) kept.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
  MultigridParameters parameters{.tolerance = solve_tolerance,
                                 .levels = levels_of(kept->report(), setting),
                                 .smoothing_steps = setting.smoothing_steps,
                                 .cycle_steps = setting.cycle_steps};
  if (vectors.count != setting.vectors) {
    const Multigrid<double> setup(dirac, {.tolerance = solve_tolerance, .levels = parameters.levels});
    vectors = {setting.vectors, std::make_shared<const SpinorField<float>>(setup.near_null_vectors())};
  }
  parameters.near_null_vectors = vectors.fields;
  parameters.levels.front().bootstraps = 0;
  const Multigrid<double> multigrid(dirac, parameters);
  run_solve(state, suite, dirac, multigrid, count);
}

/// Blocks by hand, one for each level but the last; all else is what kaon chooses for them in a setup of their own.
using Blocks = std::vector<Coordinates>;

/// Of two, three and four levels.
const Blocks all_blocks[] = {
    {{4, 4, 4, 4}},
    {{4, 4, 4, 8}},
    {{6, 6, 6, 6}},
    {{8, 8, 8, 8}},
    {{2, 2, 2, 2}, {4, 4, 4, 4}},
    {{2, 2, 2, 4}, {4, 4, 4, 4}},
    {{3, 3, 3, 3}, {4, 4, 4, 4}},
    {{4, 4, 4, 4}, {2, 2, 2, 2}},
    {{4, 4, 4, 4}, {2, 2, 2, 4}},
    {{4, 4, 4, 4}, {3, 3, 3, 3}},
    {{4, 4, 4, 4}, {4, 4, 4, 4}},
    {{4, 4, 4, 8}, {2, 2, 2, 2}},
    {{6, 6, 6, 6}, {2, 2, 2, 2}},
    {{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}},
    {{2, 2, 2, 4}, {2, 2, 2, 2}, {2, 2, 2, 2}},
    {{3, 3, 3, 3}, {2, 2, 2, 2}, {2, 2, 2, 2}},
    {{4, 4, 4, 4}, {2, 2, 2, 2}, {2, 2, 2, 2}},
};

/// "4444-2222"
std::string name_of(const Blocks& blocks) {
  std::string name;
  for (const Coordinates& block : blocks) {
    if (!name.empty()) name += "-";
    for (const int sites : block) name += std::to_string(sites);
  }
  return name;
}

/// Whether the blocks of each level divide its local lattice. (What else is refused, the benchmark reports.)
bool divide(Coordinates local, const Blocks& blocks) {
  for (const Coordinates& block : blocks) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (local[mu] % block[mu] != 0) return false;
      local[mu] /= block[mu];
    }
  }
  return true;
}

/// The multigrid of the blocks that came last, for all numbers of right-hand sides.
struct OfBlocks {
  std::string name{};
  KeptMultigrid multigrid{};
};

void run_blocks(benchmark::State& state, Suite& suite, const Lattice& lattice, OfBlocks& last, const Blocks& blocks,
                int count) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  if (const std::string name = name_of(blocks); last.name != name || !last.multigrid) {
    last.name.clear();
    last.multigrid.reset();
    MultigridParameters parameters{.tolerance = solve_tolerance};
    for (const Coordinates& block : blocks) {
      parameters.levels.push_back({.block = block, .vectors = parameters.levels.empty() ? 24 : 32});
    }
    try {
      last.multigrid.emplace(dirac, parameters);
    } catch (const Error& error) {
      return state.SkipWithError(error.what());
    }
    last.name = name;
  }
  run_solve(state, suite, dirac, *last.multigrid, count);
  state.counters["setup"] = last.multigrid->report().setup_seconds;
}

}  // namespace

void register_multigrid(Suite& suite, const Lattice& lattice) {
  const auto owned = std::make_shared<KeptMultigrid>();
  suite.kept.push_back(owned);  // benchmarks themselves live longer than Kokkos
  KeptMultigrid* const kept = owned.get();
  const std::string extents = to_string(lattice.extents());
  add_benchmark("multigrid_setup/single/" + extents,
                [&suite, &lattice, kept](benchmark::State& state) { run_setup(state, suite, lattice, *kept); });
  for (const int count : right_hand_side_counts) {
    add_benchmark(case_name("solve_multigrid", "double", count, lattice),
                  [&suite, &lattice, kept, count](benchmark::State& state) {
                    run_multigrid_solve(state, suite, lattice, *kept, count);
                  });
  }
  const auto vectors = std::make_shared<Vectors>();
  suite.kept.push_back(vectors);
  for (const Setting& setting : settings()) {
    for (const int count : right_hand_side_counts) {
      add_benchmark(case_name("multigrid_by_hand", setting.name(), count, lattice),
                    [&suite, &lattice, kept, all = vectors.get(), setting, count](benchmark::State& state) {
                      run_setting(state, suite, lattice, *kept, *all, setting, count);
                    });
    }
  }
  const auto of_blocks = std::make_shared<OfBlocks>();
  suite.kept.push_back(of_blocks);
  for (const Blocks& blocks : all_blocks) {
    if (!divide(lattice.local_extents(), blocks)) continue;
    for (const int count : right_hand_side_counts) {
      add_benchmark(case_name("multigrid_by_hand", "double/blocks:" + name_of(blocks), count, lattice),
                    [&suite, &lattice, last = of_blocks.get(), &blocks, count](benchmark::State& state) {
                      run_blocks(state, suite, lattice, *last, blocks, count);
                    });
    }
  }
}

}  // namespace kaon::perf
