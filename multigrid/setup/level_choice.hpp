// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/relaxation.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/multigrid/parameters.hpp>

#include <cstddef>
#include <vector>

namespace kaon::detail {

/// Aggregates that kaon prefers, and the vectors of the level that they make.
struct AggregateRule {
  int vectors;
  double sites;  ///< of an aggregate, about
  int longest;   ///< extent of an aggregate at most
};

/// Rules for the levels below an operator whose fields have two chiralities of `components` / 2 numbers per site. The
/// defaults are those of operators with 4 spins and 3 colours.
struct LevelRules {
  int components = 12;
  AggregateRule first{.vectors = 24, .sites = 256.0, .longest = 8};
  AggregateRule others{.vectors = 32, .sites = 16.0, .longest = 4};
  /// Degree of the smoothers in V-cycles, if `MultigridParameters::smoothing_steps` is unset.
  int smoothing_of_v_cycle = smoothing_steps;

  /// Sites of the aggregates of the first level at least: twice as many components of a chirality as vectors.
  std::ptrdiff_t least_sites() const { return (4 * first.vectors + components - 1) / components; }
};

/// Chooses the levels below an operator, until the last level is small enough for an exact inverse or cannot be cut
/// further. Empty if the lattice has no aggregates. `grid`: cuts the local lattice into this many parts in each
/// direction, one for each process, and chooses the levels of these processes.
std::vector<MultigridCoarsening> find_levels(const Lattice& fine, const LevelRules& rules,
                                             const Coordinates& grid = {1, 1, 1, 1});
/// Chooses levels as `find_levels` does. Throws `Error` for a lattice that has no aggregates.
std::vector<MultigridCoarsening> choose_levels(const Lattice& fine, const LevelRules& rules = {},
                                               const Coordinates& grid = {1, 1, 1, 1});

/// Throws `Error`, with the level and the possible values, for impossible levels: blocks that do not divide the local
/// lattice, and numbers of vectors that are odd, smaller than those of the level above, or larger than the number of
/// components of an aggregate.
void require_levels(const Lattice& fine, const std::vector<MultigridCoarsening>& levels, int components = 12);

/// Throws `Error` for numbers of `parameters` that are out of range.
void require_parameters(const MultigridParameters& parameters);

/// Throws `SolveError` if an iteration of these levels reduces the residual by a larger factor than `parameters` allow.
void require_convergence(const MultigridParameters& parameters, double convergence);

/// Throws `Error` unless `given` can be the `vectors` vectors of the first level.
void require_vectors(const SpinorField<float>& given, const Lattice& fine, const SpinorParameters& domain, int vectors);

}  // namespace kaon::detail
