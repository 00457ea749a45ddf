// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "predict/model.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace kaon {

std::array<bool, 4> ProcessGrid::cut() const {
  std::array<bool, 4> result{};
  for (std::size_t mu = 0; mu < 4; ++mu) result[mu] = processes[mu] > 1;
  return result;
}

std::ptrdiff_t ProcessGrid::surface() const {
  std::ptrdiff_t sites = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (processes[mu] > 1) sites += 2 * volume_of(local) / local[mu];
  }
  return sites;
}

namespace detail {

std::vector<ProcessGrid> candidate_grids(const Coordinates& extents, int processes, int reach,
                                         const CutDirections& directions) {
  std::array<std::optional<ProcessGrid>, 5> best;  // by the number of cut directions
  const auto consider = [&](const Coordinates& grid) {
    ProcessGrid candidate{grid, extents};
    std::size_t cut = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (extents[mu] % (2 * grid[mu]) != 0) return;
      candidate.local[mu] /= grid[mu];
      if (candidate.local[mu] <= reach) return;
      cut += grid[mu] > 1 ? 1 : 0;
    }
    if (directions && processes > 1 && candidate.cut() != *directions) return;
    // Later grids of an equal surface cut earlier directions.
    if (!best[cut] || candidate.surface() < best[cut]->surface()) best[cut] = candidate;
  };
  for (int x = 1; x <= processes; ++x) {
    if (processes % x != 0) continue;
    for (int y = 1; y <= processes / x; ++y) {
      if (processes / x % y != 0) continue;
      for (int z = 1; z <= processes / x / y; ++z) {
        if (processes / x / y % z == 0) consider({x, y, z, processes / x / y / z});
      }
    }
  }
  std::vector<ProcessGrid> found;
  for (const auto& grid : best) {
    if (grid) found.push_back(*grid);
  }
  return found;
}

HopCount hops_of(PredictedSolve solve, const PredictedQuark& quark) {
  switch (solve.method) {
    case KrylovMethod::bicgstab:
      return {4, 4};
    case KrylovMethod::cg:
      return quark.family().is_staggered() ? HopCount{2, 2} : HopCount{4, 4};
    case KrylovMethod::gcr_dd:
      return {2 + 2 * quark.block_steps(solve), 2};
    default:
      return {};  // several levels, which are not distinguished
  }
}

IterationParts parts_of(const IterationTimes& times, const HopCount& hops) {
  IterationParts parts;
  parts.interior = hops.all * times.hop;
  parts.halo = hops.cut * (times.hop_with_halo - times.hop);
  parts.vectors = times.alone - parts.interior;
  parts.sums = times.iteration - parts.interior - parts.halo - parts.vectors;
  // The total remains as it was measured: other parts are reduced by what a negative part lacks.
  double* const all[] = {&parts.sums, &parts.halo, &parts.vectors, &parts.interior};
  double missing = 0.0;
  for (double* part : all) {
    missing += std::max(0.0, -*part);
    *part = std::max(0.0, *part);
  }
  parts.noise = missing;
  for (double* part : all) {
    const double taken = std::min(*part, missing);
    *part -= taken;
    missing -= taken;
  }
  return parts;
}

double last_level_seconds(double unknowns, const Network& network, double copy_bandwidth) {
  constexpr double bytes = 8.0;  // of a complex number in single precision
  return bytes * unknowns * unknowns / network.processes / copy_bandwidth + bytes * unknowns / network.bandwidth +
         network.sum_seconds();
}

IterationParts with_last_level(IterationParts parts, const IterationTimes& times, double seconds) {
  if (times.shares.empty()) return parts;
  const double of_local = times.shares.back() * times.iteration;
  parts.sums += std::max(0.0, seconds - of_local);
  return parts;
}

double bytes_of_site(PredictedSolve solve, const PredictedQuark& quark) {
  const FermionFamily& family = quark.family();
  const std::string precision = quark.precision_of(solve);
  const double inner_bytes = precision == "double" ? 8.0 : precision == "single" ? 4.0 : 2.0;
  const double outer_links = 4 * (family.makes_links() ? 18 + 18 : 18),
               inner_links = 4 * (family.makes_links() ? 18 + 14 : 12);
  const double clover = family.reads("csw") ? 2.0 * 72.0 : 0.0;  // A and A^-1
  const double spinor = 2.0 * 3.0 * family.spins() * quark.slices();
  const double vectors_of_one_parity = solve.method == KrylovMethod::gcr_dd ? 2 * 16 + 4 : 8;
  // Each shift has its solution on all sites, and its direction in both precisions.
  const double shifted = solve.has_shifts ? quark.shifts : 0.0;
  const double outer = 8.0 * (outer_links + clover + spinor * (3 + 1.5 * shifted));
  const double inner = inner_bytes * (inner_links + clover + 0.5 * spinor * (vectors_of_one_parity + shifted));
  return outer + inner + (solve.method == KrylovMethod::multigrid ? 16.0e3 : 0.0);
}

}  // namespace detail
}  // namespace kaon
