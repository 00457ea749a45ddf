// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/level_choice.hpp"

#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/coarse_operator.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace kaon::detail {
namespace {

/// Unknowns of the last level at most, if such a level exists. Each step of the setup inverts their matrix, which takes
/// 9 CPU seconds for 3072 on a host; GPUs save a level that a K-cycle visits often.
constexpr int largest_bottom = on_device ? 3072 : 2048;

/// How much a block differs from the preferred one, which has `sites` sites and equal extents. Odd coarse extents
/// count, because they cost the even-odd system.
double distance(const Coordinates& local, const Coordinates& block, double sites) {
  const double mean = std::log(static_cast<double>(volume_of(block))) / directions;
  const double size = directions * mean - std::log(sites);
  double result = size * size;
  for (std::size_t mu = 0; mu < directions; ++mu) {
    const double stretch = std::log(static_cast<double>(block[mu])) - mean;
    const int coarse = local[mu] / block[mu];
    result += stretch * stretch + (coarse > 1 && coarse % 2 == 1 ? 1.0 : 0.0);
  }
  return result;
}

/// The block nearest to a rule whose aggregates have at least `least` sites; none if there is no such block.
std::optional<Coordinates> choose_block(const std::array<bool, 4>& cut, const Coordinates& local,
                                        const AggregateRule& rule, std::ptrdiff_t least) {
  std::optional<Coordinates> best;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int t = 1; t <= rule.longest; ++t) {
    for (int z = 1; z <= rule.longest; ++z) {
      for (int y = 1; y <= rule.longest; ++y) {
        for (int x = 1; x <= rule.longest; ++x) {
          const Coordinates block{x, y, z, t};
          bool possible = volume_of(block) >= least;
          for (std::size_t mu = 0; mu < directions; ++mu) possible = possible && cuts(local[mu], cut[mu], block[mu]);
          if (!possible) continue;
          const double d = distance(local, block, rule.sites);
          if (d < best_distance) {
            best = block;
            best_distance = d;
          }
        }
      }
    }
  }
  return best;
}

Coordinates divided(Coordinates extents, const Coordinates& block) {
  for (std::size_t mu = 0; mu < directions; ++mu) extents[mu] /= block[mu];
  return extents;
}

}  // namespace

std::vector<MultigridCoarsening> find_levels(const Lattice& fine, const LevelRules& rules, const Coordinates& grid) {
  std::vector<MultigridCoarsening> levels;
  Coordinates local = divided(fine.local_extents(), grid), global = fine.extents();
  std::array<bool, 4> cut{};
  for (std::size_t mu = 0; mu < directions; ++mu) {
    require(fine.local_extents()[mu] % (2 * grid[mu]) == 0 || grid[mu] == 1, [&] {
      return fmt::format("{} processes cannot share {} sites in direction {}: each holds an even number", grid[mu],
                         fine.local_extents()[mu], mu);
    });
    cut[mu] = fine.is_partitioned(mu) || grid[mu] > 1;
  }
  LevelRules level = rules;  // of the level that is cut next
  for (;;) {
    const auto block = choose_block(cut, local, level.first, level.least_sites());
    if (!block) break;
    levels.push_back({.block = *block, .vectors = level.first.vectors});
    local = divided(local, *block);
    global = divided(global, *block);
    level.components = 2 * level.first.vectors;
    level.first = rules.others;
    if (level.components * volume_of(global) / 2 <= largest_bottom) break;
  }
  return levels;
}

std::vector<MultigridCoarsening> choose_levels(const Lattice& fine, const LevelRules& rules, const Coordinates& grid) {
  std::vector<MultigridCoarsening> levels = find_levels(fine, rules, grid);
  const Coordinates local = divided(fine.local_extents(), grid);
  require(!levels.empty(), [&] {
    return fmt::format(
        "multigrid finds no aggregates on a local lattice of {}x{}x{}x{}: their extents must divide it, "
        "in directions that are cut between processes to an even number, and they need at least {} sites. Use fewer "
        "processes or larger extents",
        local[0], local[1], local[2], local[3], rules.least_sites());
  });
  return levels;
}

void require_levels(const Lattice& fine, const std::vector<MultigridCoarsening>& levels, int components) {
  Coordinates local = fine.local_extents();
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto& [block, vectors, bootstraps] = levels[l];
    for (std::size_t mu = 0; mu < directions; ++mu) {
      require(block[mu] >= 1 && cuts(local[mu], fine.is_partitioned(mu), block[mu]), [&] {
        return fmt::format(
            "multigrid level {}: aggregates of {} sites in direction {} do not cut a local lattice of {}{}", l,
            block[mu], mu, local[mu], fine.is_partitioned(mu) ? ", which processes share, to an even number" : "");
      });
    }
    require(vectors >= 2 && vectors % 2 == 0, [&] {
      return fmt::format("multigrid level {}: {} near-null vectors; their number must be even", l, vectors);
    });
    require(vectors <= CoarseOperator::most_components / 2, [&] {
      return fmt::format("multigrid level {}: {} near-null vectors; coarse operators have {} at most", l, vectors,
                         CoarseOperator::most_components / 2);
    });
    require(2 * vectors >= components || l == 0, [&] {
      return fmt::format("multigrid level {}: {} near-null vectors, fewer than the {} of the level above", l, vectors,
                         components / 2);
    });
    const std::ptrdiff_t rows = components / 2 * volume_of(block);
    require(vectors <= rows, [&] {
      return fmt::format(
          "multigrid level {}: {} near-null vectors do not fit into aggregates with {} components of a "
          "chirality: take larger blocks",
          l, vectors, rows);
    });
    require(!bootstraps || *bootstraps >= 0,
            [&] { return fmt::format("multigrid level {}: {} bootstraps", l, *bootstraps); });
    local = divided(local, block);
    components = 2 * vectors;
  }
}

void require_parameters(const MultigridParameters& parameters) {
  const auto at_least = [](int value, int least, const char* what) {
    require(value >= least, [&] { return fmt::format("multigrid needs at least {} {}, got {}", least, what, value); });
  };
  at_least(parameters.smoothing_steps.value_or(1), 1, "smoothing steps");
  at_least(parameters.cycle_steps.value_or(1), 1, "steps of a cycle");
  at_least(parameters.krylov_space, 1, "directions of GCR");
  at_least(parameters.relaxation_steps.value_or(1), 1, "relaxation steps");
  at_least(parameters.max_bootstraps, 0, "bootstraps");
  at_least(parameters.max_iterations, 1, "iterations");
  require_tolerance(parameters.tolerance);
  require(parameters.worst_convergence > 0.0 && parameters.worst_convergence <= 1.0, [&] {
    return fmt::format("the worst convergence {} of multigrid must lie above 0 and be at most 1",
                       parameters.worst_convergence);
  });
}

void require_convergence(const MultigridParameters& parameters, double convergence) {
  if (convergence <= parameters.worst_convergence) return;
  throw SolveError(fmt::format(
      "multigrid converges badly on these links: an iteration brings the residual down to {:.3f} of it, and {:.3f} is "
      "needed",
      convergence, parameters.worst_convergence));
}

void require_vectors(const SpinorField<float>& given, const Lattice& fine, const SpinorParameters& domain,
                     int vectors) {
  require(given.lattice() == fine, [&] {
    return fmt::format(
        "the given near-null vectors are on another lattice ({}, {} on each process) than the operator ({}, {}): give "
        "vectors on the operator's lattice",
        to_string(given.lattice().extents()), to_string(given.lattice().local_extents()), to_string(fine.extents()),
        to_string(fine.local_extents()));
  });
  require(SpinorParameters{given.spins(), given.colors(), given.subset(), 1, given.slices()} ==
              SpinorParameters{domain.spins, domain.colors, domain.subset, 1, domain.slices},
          [&] {
            const auto text = [](const SpinorParameters& of) {
              const char* const sites = of.subset == Subset::full   ? "all sites"
                                        : of.subset == Subset::even ? "even sites"
                                                                    : "odd sites";
              return fmt::format("{} spins and {} colours on {}{}", of.spins, of.colors, sites,
                                 of.slices == 1 ? "" : fmt::format(", {} slices", of.slices));
            };
            return fmt::format("the given near-null vectors have {}: give fields of {}", text(given.parameters()),
                               text(domain));
          });
  require(given.right_hand_sides() >= vectors, [&] {
    return fmt::format(
        "{} near-null vectors are given, but the first level of multigrid takes {}: give as many, or fewer for the "
        "first of `levels`",
        given.right_hand_sides(), vectors);
  });
}

}  // namespace kaon::detail
