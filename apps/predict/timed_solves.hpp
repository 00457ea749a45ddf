// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/predict/prediction.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/solvers/solver.hpp>

#include <string>
#include <vector>

// Hops, iterations and solves of one process, which predictions measure.

namespace kaon::apps {

/// The quark whose solves are predicted.
struct PredictedQuark {
  FermionParameters physics{.action = FermionAction::wilson_clover, .csw = 0.0};
  std::string precision = "half";  ///< of the iterations; the solution is in double
  int schwarz_steps = 10;
  int shifts = 10;
  double tolerance = 1e-10;

  const FermionFamily& family() const { return family_of(physics.action); }
  /// Sites that a hop reaches, as of `LatticeParameters`.
  int reach() const { return family().makes_links() ? 3 : 1; }
  int slices() const { return family().reads("slices") ? physics.slices : 1; }
  /// Of the iterations of a solver: several shifts are swept in single where others iterate in half, and multigrid
  /// has its cycles in single at most.
  std::string precision_of(PredictedSolver solver) const {
    if (solver == PredictedSolver::multigrid && precision == "double") return "single";
    return solver == PredictedSolver::multi_shift && precision == "half" ? "single" : precision;
  }
};

/// Seconds of A^-1 K in, of staggered quarks K in, with its halos.
double hop_seconds(const PredictedQuark& quark, const std::string& precision, const Lattice& lattice);
/// Seconds of an iteration in that precision, with its halos and sums.
double krylov_seconds(PredictedSolver solver, const PredictedQuark& quark, const std::string& precision,
                      const Lattice& lattice);

/// The levels that processes of a grid would choose.
std::vector<MultigridCoarsening> levels_of(const PredictedQuark& quark, const Coordinates& extents,
                                           const ProcessGrid& grid);
/// Seconds of an iteration, and behind them the shares of the levels of the local lattice.
std::vector<double> multigrid_seconds(const PredictedQuark& quark, const Lattice& lattice,
                                      std::vector<MultigridCoarsening> levels, bool inverted);
/// The last level of the multigrid that kaon chooses for a quark on `extents` and a grid.
struct LastLevel {
  double unknowns = 0.0;
  bool inverted = true;  ///< else polynomials approximate its inverse
};
LastLevel last_level(const PredictedQuark& quark, const Coordinates& extents, const ProcessGrid& grid);

/// A solve of one right-hand side on `links`, on this device alone with blocks and levels as on `grid`.
SolveResult solve_once(PredictedSolver solver, const PredictedQuark& quark, const std::string& precision,
                       const GaugeField<double>& links, const ProcessGrid& grid);

/// Bytes per second that a copy of a vector reads and writes.
double copy_bytes_per_second();

}  // namespace kaon::apps
