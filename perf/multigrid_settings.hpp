// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "perf/measure.hpp"
#include "perf/memory.hpp"

#include <kaon/multigrid/multigrid.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::perf {

/// A setting by hand, to be compared with multigrid that is given nothing.
struct MultigridSetting {
  int vectors, lower_vectors, smoothing_steps;
  std::optional<int> cycle_steps{};
  std::optional<int> bootstraps{};  ///< of a setup from noise; none: vectors of another setup are given

  std::string name() const {
    std::string text = "double/vectors:" + std::to_string(vectors) + "/smoothing:" + std::to_string(smoothing_steps);
    if (cycle_steps) text += "/cycle:" + std::to_string(*cycle_steps);
    if (bootstraps) text += "/bootstraps:" + std::to_string(*bootstraps);
    return text;
  }
};

/// Settings of these vectors, of the first level and of lower ones.
inline std::vector<MultigridSetting> multigrid_settings(const std::vector<std::pair<int, int>>& vectors,
                                                        const std::vector<int>& cycles) {
  std::vector<MultigridSetting> all;
  for (const auto& [first, lower] : vectors) {
    for (const int smoothing : {2, 4, 6, 8}) {
      for (const int cycle : cycles) all.push_back({first, lower, smoothing, cycle});
    }
    for (const int bootstraps : {0, 1, 3}) all.push_back({first, lower, 4, {}, bootstraps});
  }
  return all;
}

/// Near-null vectors of a setup to which only their number was given. Settings with as many vectors share them.
struct SettingVectors {
  int count = 0;
  std::shared_ptr<const SpinorField<float>> fields{};
};

/// Multigrid of `dirac` by hand, with the blocks that kaon chose.
template <class Dirac>
Multigrid<double> multigrid_by_hand(const Dirac& dirac, const MultigridReport& chosen, SettingVectors& vectors,
                                    const MultigridSetting& setting) {
  MultigridParameters parameters{.tolerance = solve_tolerance};
  for (std::size_t level = 0; level + 1 < chosen.levels.size(); ++level) {
    parameters.levels.push_back(
        {.block = chosen.levels[level].block, .vectors = level == 0 ? setting.vectors : setting.lower_vectors});
  }
  if (!setting.bootstraps && vectors.count != setting.vectors) {
    const Multigrid<double> setup(dirac, parameters);
    vectors = {setting.vectors, std::make_shared<const SpinorField<float>>(setup.near_null_vectors())};
  }
  if (!setting.bootstraps) parameters.near_null_vectors = vectors.fields;
  parameters.levels.front().bootstraps = setting.bootstraps.value_or(0);
  parameters.smoothing_steps = setting.smoothing_steps;
  parameters.cycle_steps = setting.cycle_steps;
  return Multigrid<double>(dirac, parameters);
}

/// Times a setup with tuned kernels, and reports its memory; `kept` is the last one.
template <class Dirac>
void measure_multigrid_setup(benchmark::State& state, const Suite& suite, const Lattice& lattice, const Dirac& dirac,
                             std::optional<Multigrid<double>>& kept) {
  const MultigridParameters parameters{.tolerance = solve_tolerance};
  if (!kept) kept.emplace(dirac, parameters);  // kernels are tuned on first use
  kept.reset();
  Memory& memory = Memory::instance();
  memory.reset_peak();
  const std::int64_t before = memory.now;
  for (auto _ : state) {
    kept.reset();
    Stopwatch stopwatch = suite.stopwatch();
    stopwatch.start();
    kept.emplace(dirac, parameters);
    state.SetIterationTime(stopwatch.stop());
  }
  report(state, suite, {}, kept->report().setup_seconds);
  const auto sites = static_cast<double>(lattice.local_volume());
  state.counters["bytes/site"] = static_cast<double>(memory.now - before) / sites;
  state.counters["peak_bytes/site"] = static_cast<double>(memory.peak - before) / sites;
}

/// Times M x = b on all sites by `multigrid`, which is set up before, and reports the rate and the true residual.
template <class Dirac>
SolveResult measure_multigrid_solve(benchmark::State& state, const Suite& suite, const Dirac& dirac,
                                    const Multigrid<double>& multigrid, int count) {
  SpinorField<double> b = dirac.make_field(count), x = dirac.make_field(count);
  fill(b, 7);
  const auto solve = [&] {
    blas::set_zero(x);
    return multigrid.solve(x, b);
  };
  double seconds = 0.0;
  SolveResult result = measure_solves(state, suite, solve, seconds);
  if (state.error_occurred()) return result;
  report(state, suite, {result.flops, 0.0}, seconds);
  state.counters["true_residual"] = result.true_residual();
  return result;
}

}  // namespace kaon::perf
