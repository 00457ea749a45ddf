// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/campaign_log.hpp"

#include <kaon/campaign/measurement.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace kaon::apps {

/// Returns the cost of a sloppy solve beside an exact one, if residuals fall exponentially; none for sloppy solves of a
/// number of iterations.
std::optional<double> sloppy_ratio(const MeasurementInput& input);

/// The progress of a run of a campaign: one line that moves on a terminal, and in other outputs a line for each solve.
/// Several processes print lines only, because launchers may collect their output by a terminal.
class CampaignProgress {
 public:
  /// The run will measure this number of configurations.
  CampaignProgress(const Session& session, const MeasurementInput& input, std::size_t configurations,
                   const CampaignLog& log);

  /// Starts the next configuration; `name` is that of its files.
  void begin(const std::string& name);
  /// Called when the lattice of the configuration is known.
  void set_lattice(const Coordinates& extents);
  MeasurementHooks hooks();
  /// Erases the line and counts the configuration.
  void end();
  /// Erases the line.
  void erase() const;

  /// The wall time of the configuration until now.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::string time_left() const;
  /// The time of the first configuration by those of its sources before this one; none before the first source is done.
  std::optional<double> estimate_of_first() const;
  void show(const std::string& text) const;

  const Session& session_;
  const MeasurementInput& input_;
  const CampaignLog& log_;
  std::size_t configurations_;
  bool is_terminal_;
  MeanCost cost_;  // on `extents_`
  Coordinates extents_{};
  std::string name_, solve_;
  std::size_t number_ = 0;  // of the configuration, from 1 on
  std::size_t source_ = 0, sources_ = 0;
  bool sloppy_ = false;         // its solve
  double before_source_ = 0.0;  // seconds of the configuration until this source
  double before_sloppy_ = 0.0;  // and until the first sloppy one
  Clock::time_point start_{}, solve_start_{}, shown_{};
};

}  // namespace kaon::apps
