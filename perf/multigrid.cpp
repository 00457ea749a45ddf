// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"
#include "perf/multigrid_settings.hpp"

#include <kaon/core/error.hpp>
#include <kaon/multigrid/multigrid.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::perf {
namespace {

/// The multigrid of all benchmarks on one lattice, made on first use.
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
  measure_multigrid_setup(state, suite, lattice, dirac, kept);
  report_hierarchy(state, *kept);
}

void run_solve(benchmark::State& state, Suite& suite, const WilsonClover<double>& dirac,
               const Multigrid<double>& multigrid, int count) {
  const SolveResult result = measure_multigrid_solve(state, suite, dirac, multigrid, count);
  if (state.error_occurred()) return;
  report_hierarchy(state, multigrid);
  state.counters["iterations"] = result.iterations();
}

void run_multigrid_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptMultigrid& kept,
                         int count) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  if (!kept) kept.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
  run_solve(state, suite, dirac, *kept, count);
}

void run_setting(benchmark::State& state, Suite& suite, const Lattice& lattice, KeptMultigrid& kept,
                 SettingVectors& vectors, const MultigridSetting& setting, int count) {
  const WilsonClover<double>& dirac = find_dirac(suite, lattice);
  if (!kept) kept.emplace(dirac, MultigridParameters{.tolerance = solve_tolerance});
  const Multigrid<double> multigrid = multigrid_by_hand(dirac, kept->report(), vectors, setting);
  run_solve(state, suite, dirac, multigrid, count);
  state.counters["setup"] = multigrid.report().setup_seconds;
}

/// Blocks by hand, one for each level but the last; all else is what kaon chooses for them in a setup of their own.
using Blocks = std::vector<Coordinates>;

/// Block sizes of hierarchies with two, three and four levels.
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
  const auto vectors = std::make_shared<SettingVectors>();
  suite.kept.push_back(vectors);
  for (const MultigridSetting& setting : multigrid_settings({{16, 24}, {24, 32}, {32, 32}}, {1, 2, 3})) {
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
