// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/predict/predict.hpp>
#include <kaon/solvers/solver.hpp>

#include <string>
#include <vector>

// Hops, iterations and solves of one process, which predictions measure.

namespace kaon::detail {

/// Seconds of A^-1 K in, of staggered quarks K in, with its halos.
double hop_seconds(const PredictedQuark& quark, const std::string& precision, const Lattice& lattice);
/// Seconds of an iteration in that precision, with its halos and sums.
double krylov_seconds(PredictedSolve of, const PredictedQuark& quark, const std::string& precision,
                      const Lattice& lattice);

/// The levels that processes of a grid would choose.
std::vector<MultigridCoarsening> levels_of(const PredictedQuark& quark, const Coordinates& extents,
                                           const ProcessGrid& grid);
/// Seconds of an iteration, followed by the shares of the levels of the local lattice.
std::vector<double> multigrid_seconds(const PredictedQuark& quark, const Lattice& lattice,
                                      std::vector<MultigridCoarsening> levels, bool inverted);
/// The last level of the multigrid that kaon chooses for a quark on `extents` and a grid.
struct LastLevel {
  double unknowns = 0.0;
  bool inverted = true;  ///< else polynomials approximate its inverse
};
LastLevel last_level(const PredictedQuark& quark, const Coordinates& extents, const ProcessGrid& grid);

/// A solve of one right-hand side on `links`, on this device alone with blocks and levels as on `grid`.
SolveResult solve_once(PredictedSolve of, const PredictedQuark& quark, const std::string& precision,
                       const GaugeField<double>& links, const ProcessGrid& grid);

/// Bytes per second that a copy of a vector reads and writes.
double copy_bytes_per_second();

}  // namespace kaon::detail
