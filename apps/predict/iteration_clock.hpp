// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/predict/timed_solves.hpp"

#include <utility>

namespace kaon::apps {

/// The process that measures: alone, or as one of many.
struct OneOfMany {
  ProcessGrid grid{};
  std::optional<detail::Network> network{};

  Lattice lattice(int reach) const;
  int processes() const { return network ? network->processes : 1; }
  /// The local lattice, its cut directions and the network.
  std::string place() const;
};
OneOfMany one_of_many(const ProcessGrid& grid, const detail::Network& network);

/// Measures what predictions need, once for each device and build: numbers are kept in a file beside the tuning
/// results, `tuning_cache()` with the ending ".predict.json", as soon as they are there: a prediction that is stopped
/// has those it measured.
class IterationClock {
 public:
  IterationClock(const Session& session, const PredictedQuark& quark);
  IterationClock(const IterationClock&) = delete;
  IterationClock& operator=(const IterationClock&) = delete;

  /// Bytes that measurements from now on take, and of what: they throw `Error` where less is free.
  void require_memory(double bytes, const std::string& of) { needed_ = {bytes, of}; }

  /// Seconds of a hop with its halos, in the precision of a solver's iterations.
  double hop(PredictedSolver solver, const OneOfMany& one);
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
  double kept(const std::string& precision, const std::string& name, const Measure& measure);
  void save() const;
  void require_free() const;

  const Session& session_;
  PredictedQuark quark_;
  std::filesystem::path file_;  // empty: memory only
  std::string place_;           // device and build
  Json numbers_ = Json::object();
  std::pair<double, std::string> needed_{};
};

}  // namespace kaon::apps
