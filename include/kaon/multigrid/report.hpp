// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kaon {

/// The hierarchy of a `Multigrid`, and the measurements of its setup.
struct MultigridReport {
  struct Level {
    Coordinates extents{};  ///< extents of the whole lattice
    int components = 12;    ///< complex numbers of a site: 12 on the first level, 2 N below
    Coordinates block{};    ///< sites of the aggregates that make the next level; zeros on the last level
    /// Smallest pivot of the vectors that make the next level. Below 1e-5 they are nearly dependent.
    double smallest_pivot = 0.0;
    int replaced = 0;    ///< number of these vectors that were dependent in an aggregate, so that noise replaces them
    double share = 0.0;  ///< share of the level in the time of a cycle, with two right-hand sides
  };
  std::vector<Level> levels;
  int cycle_steps = 1;        ///< steps of GCR on levels between the first and the last
  int bootstraps = 0;         ///< bootstraps of the first level's vectors
  double convergence = 0.0;   ///< factor by which an iteration reduces the residual, at the end of the setup
  bool exact_bottom = false;  ///< whether the last level is solved by its inverse, not by iterations
  double bottom_error = 0.0;  ///< |S z - s| / |s| of that inverse
  double setup_seconds = 0.0;
  std::optional<double> setup_joules{};  ///< see `EnergyMeter`; none if no hardware counts them
  /// Parts of the setup and their seconds, the same parts for each setup.
  struct Part {
    std::string name;
    double seconds;
  };
  std::vector<Part> parts{};

  /// Results for staggered operators only.
  struct Hypercubes {
    double smallest, largest;  ///< singular values of the hops within hypercubes: a small one is a rough field
    double convergence;        ///< factor of an iteration without third links, on hypercubes
  };
  std::optional<Hypercubes> hypercubes{};
};

/// Formats the report as a table.
std::string to_string(const MultigridReport& report);

}  // namespace kaon
