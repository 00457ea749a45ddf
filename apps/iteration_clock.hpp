// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/output.hpp"
#include "apps/prediction.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/multigrid/parameters.hpp>

namespace kaon::apps {

/// The clover quark whose solves are predicted.
struct PredictedQuark {
  double mass = 0.0, csw = 0.0;
  std::string precision = "half";  ///< of the iterations; the solution is in double
  int schwarz_steps = 10;
  double tolerance = 1e-10;
};

/// The process that measures: alone, or as one of many.
struct OneOfMany {
  ProcessGrid grid{};
  std::optional<detail::Network> network{};

  Lattice lattice() const;
  int processes() const { return network ? network->processes : 1; }
  /// The local lattice, its cut directions and the network.
  std::string place() const;
};
OneOfMany one_of_many(const ProcessGrid& grid, const detail::Network& network);

/// Measures what predictions need, once for each device and build: numbers are kept in a file beside the tuning
/// results, `tuning_cache()` with the ending ".predict.json".
class IterationClock {
 public:
  IterationClock(const Session& session, const PredictedQuark& quark);
  /// Saves.
  ~IterationClock();
  IterationClock(const IterationClock&) = delete;
  IterationClock& operator=(const IterationClock&) = delete;

  /// Seconds of a hop with its halos.
  double hop(const OneOfMany& one);
  IterationTimes times(PredictedSolver solver, const Coordinates& extents, const ProcessGrid& grid,
                       const detail::Network& network);
  /// Bytes per second that a copy of a vector reads and writes.
  double copy_bandwidth();
  /// Iterations to the tolerance on `links`, on this device alone with blocks as on `grid`; none where the solve does
  /// not converge.
  std::optional<double> iterations(PredictedSolver solver, const GaugeField<double>& links, double plaquette,
                                   const ProcessGrid& grid);

 private:
  /// Seconds of an iteration, and the shares of levels behind it.
  std::vector<double> multigrid(const OneOfMany& one, const std::vector<MultigridCoarsening>& levels, bool inverted);
  template <class Measure>
  double kept(const std::string& name, const Measure& measure);
  template <class Body>
  auto with_precision(const Body& body) const;

  const Session& session_;
  PredictedQuark quark_;
  std::filesystem::path file_;  // empty: memory only
  std::string place_;           // device and build
  Json numbers_ = Json::object();
  bool changed_ = false;
};

/// The last level of the multigrid that kaon chooses for `extents` on a grid.
struct LastLevel {
  double unknowns = 0.0;
  bool inverted = true;  ///< else polynomials approximate its inverse
};
LastLevel last_level(const Coordinates& extents, const ProcessGrid& grid);

}  // namespace kaon::apps
