// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/network.hpp"
#include "predict/timed_solves.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/predict/predict.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::detail {

/// The process that measures: alone, or as one of many.
struct OneOfMany {
  ProcessGrid grid{};
  std::optional<Network> network{};

  Lattice lattice(int reach) const;
  int processes() const { return network ? network->processes : 1; }
};
OneOfMany one_of_many(const ProcessGrid& grid, const Network& network);

/// Measures the numbers of predictions, once for each device and build. Each number is saved as soon as it is measured,
/// in a file beside the results of tuning, `tuning_cache()` with the ending ".predict.json": for each device and build
/// an object from measurements, themselves JSON objects, to numbers.
class IterationClock {
 public:
  explicit IterationClock(const PredictedQuark& quark);

  /// Bytes of the measurements from now on, and their name: they throw `Error` if less is free.
  void require_memory(double bytes, const std::string& of) { needed_ = {bytes, of}; }

  /// Seconds of a hop with its halos, in the precision of a solve's iterations.
  double hop(PredictedSolve solve, const OneOfMany& one);
  /// `choice`: of the setup of multigrid.
  IterationTimes times(PredictedSolve solve, const Coordinates& extents, const ProcessGrid& grid,
                       const Network& network, const SetupChoice& choice);
  /// Bytes per second that a copy of a vector reads and writes.
  double copy_bandwidth();
  /// A solve to the tolerance on `links`, on this device alone with blocks and levels as on `grid`.
  SolveOnField solve_on(const GaugeField<double>& links, double plaquette, PredictedSolve solve,
                        const ProcessGrid& grid);

 private:
  using Json = nlohmann::ordered_json;

  /// Seconds of an iteration, followed by the shares of levels.
  std::vector<double> multigrid(const OneOfMany& one, const std::vector<MultigridCoarsening>& levels, int cycle_steps,
                                bool inverted);
  /// The saved number of a measurement, which is made if there is none.
  double saved(const std::string& precision, const Json& what, const std::function<double()>& measure);
  void save() const;
  void require_free() const;

  PredictedQuark quark_;
  std::filesystem::path file_;  // empty: memory only
  std::string place_;           // device and build
  Json numbers_ = Json::object();
  std::pair<double, std::string> needed_{};
};

}  // namespace kaon::detail
