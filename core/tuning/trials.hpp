// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning.hpp"

#include <memory>
#include <set>
#include <tuple>
#include <vector>

namespace kaon::detail {

/// The search for the fastest shape of one kernel in the launches of a program.
///
/// A stage has two rounds at most. The first round launches each shape once. The second round launches the shapes that
/// are not far behind several times, and the shortest time counts. Only one launch of several belongs to a round; the
/// others use the fastest shape so far. The shape of a launch depends only on its number and on decisions, which all
/// processes make alike.
class Trials {
 public:
  /// `first`: in which the search starts; `shapes`: those of stage 0.
  Trials(const LaunchShape& first, const std::vector<LaunchShape>& shapes, const ShapeStages& stages, bool partitioned);

  /// Tries no shape in the first `launches` ones.
  void wait(long launches) { waits_ = launches; }
  long waits() const { return waits_; }
  long launches() const { return launches_; }

  bool over() const { return over_; }
  const LaunchShape& fastest() const { return fastest_; }
  /// Seconds of the first shape, and of the fastest in proportion. Infinite if nothing was timed.
  double first_seconds() const { return first_seconds_; }
  double fastest_seconds() const { return first_seconds_ * ratio_; }

  /// Whether the launches of a round have been made, and so long ago that the device has finished them.
  bool may_decide(bool ahead) const;
  /// Takes what the round has found and starts the next one. Collective. Returns the seconds that the round has cost
  /// beyond as many launches in the fastest shape.
  double decide(const Communicator& communicator, const ShapeStages& stages);

  /// The next launch.
  Tuner::Turn next(const Execution& execution, bool ahead);

 private:
  struct Candidate {
    LaunchShape shape;
    double seconds;
  };
  struct Launch {
    std::size_t candidate = 0;
    bool counts = true;
    std::shared_ptr<LaunchTimer> timer{};
  };

  /// Kernels of other types, and tables that are made on first use, make a first launch longer than others.
  using Form = std::tuple<int, bool, bool, bool, int, int, bool>;
  Form form(const LaunchShape& shape) const;
  void begin_stage(const std::vector<LaunchShape>& shapes, const ShapeStages& stages);
  void begin_next_stage(const ShapeStages& stages);
  void begin_round();

  bool partitioned_;
  int stage_ = 0;
  bool over_ = false;
  bool is_last_round_ = false;
  LaunchShape fastest_;
  double first_seconds_;
  double ratio_ = 1.0;
  std::vector<Candidate> candidates_;  // of the stage, the fastest first
  std::vector<Launch> round_;
  std::size_t made_ = 0;  // of the round
  long launches_ = 0, last_trial_ = 0, waits_ = 0;
  std::set<Form> warm_;
};

/// Whether the stages, the first of which has `shapes`, lead to `shape`.
bool is_among(const LaunchShape& shape, const std::vector<LaunchShape>& shapes, const ShapeStages& stages);

}  // namespace kaon::detail
