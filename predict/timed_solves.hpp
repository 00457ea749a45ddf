// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/predict/predict.hpp>
#include <kaon/solvers/solver.hpp>

#include <optional>
#include <string>
#include <vector>

// Hops, iterations and solves of one process, which predictions measure.

namespace kaon::detail {

/// Seconds of A^-1 K in, of staggered quarks K in, with its halos.
double hop_seconds(const PredictedQuark& quark, const std::string& precision, const Lattice& lattice);
/// Seconds of an iteration in that precision, with its halos and sums.
double krylov_seconds(PredictedSolve of, const PredictedQuark& quark, const std::string& precision,
                      const Lattice& lattice);

/// Decisions of the setup of multigrid on a field; by default those on smooth links.
struct SetupChoice {
  std::optional<int> vectors{};  ///< of the levels of staggered quarks
  int cycle_steps = 1;
};
/// The levels that processes of a grid would choose.
std::vector<MultigridCoarsening> levels_of(const PredictedQuark& quark, const Coordinates& extents,
                                           const ProcessGrid& grid, const SetupChoice& choice);
/// Seconds of an iteration, followed by the shares of the levels of the local lattice.
std::vector<double> multigrid_seconds(const PredictedQuark& quark, const Lattice& lattice,
                                      std::vector<MultigridCoarsening> levels, int cycle_steps, bool inverted);
/// The last level of the multigrid that kaon chooses for a quark on `extents` and a grid.
struct LastLevel {
  double unknowns = 0.0;
  bool inverted = true;  ///< else polynomials approximate its inverse
};
LastLevel last_level(const PredictedQuark& quark, const Coordinates& extents, const ProcessGrid& grid,
                     const SetupChoice& choice);

/// A solve of one right-hand side on a field.
struct SolveOnField {
  std::optional<double> iterations{};  ///< none if it does not converge
  SetupChoice choice{};
};
/// Solves on `links`, on this device alone with blocks as on `grid`. Multigrid has the levels of `choice` on that grid;
/// without cuts its setup chooses them.
SolveOnField solve_once(PredictedSolve of, const PredictedQuark& quark, const std::string& precision,
                        const GaugeField<double>& links, const ProcessGrid& grid, const SetupChoice& choice);

/// Bytes per second that a copy of a vector reads and writes.
double copy_bytes_per_second();

}  // namespace kaon::detail
