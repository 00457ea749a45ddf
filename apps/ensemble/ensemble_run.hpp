// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/ensemble/ensemble.hpp"
#include "apps/ensemble/run_clock.hpp"
#include "apps/files/gauge_files.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace kaon::apps {

// Common part of subcommands that generate gauge fields: a run with its options, files and checkpoints.

struct EnsembleOptions {
  EnsembleParameters ensemble;
  EnsembleOutput output;
  GaugeInputOptions input;  ///< of the lattice and the first configuration
  int checkpoint_every = 0;
  std::string checkpoint_interval = "10:00";
  std::string time_limit;  ///< empty: none
  int report_every = 10;
  std::string prefix;
  bool resume = false;
  bool overwrite = false;
  std::set<std::string> named;  ///< options that the command line has
};

/// --size, --grid.
void add_lattice_options(const Command& command, EnsembleOptions& options);
/// --start, --ignore-stated-plaquette, --seed, --thermalization, and how many updates count, as the option `count`.
void add_count_options(const Command& command, EnsembleOptions& options, const std::string& count,
                       const std::string& updates);
/// --output and the others of the group Output.
void add_run_options(const Command& command, EnsembleOptions& options);
/// Throws `Failure` for what contradicts itself; reads --size.
void check(EnsembleOptions& options);

/// Result of an update.
struct EnsembleUpdate {
  std::vector<double> numbers;  ///< one for each series; the plaquette is the first
  std::string progress;         ///< what a line of progress says of it beside the plaquette
};

/// How links are updated.
struct EnsembleMethod {
  std::string noun;          ///< "update"
  std::string nouns;         ///< "updates"
  std::string count_option;  ///< "sweeps"
  std::string progress;      ///< the heading of `EnsembleUpdate::progress`
  Json options;              ///< see `EnsembleDescription::method`
  std::vector<std::string> series;
  std::function<void(const Lattice&)> describe;  ///< says what the run is
  /// Update `number`, from 1 on, thermalization included. May throw `UpdateDropped`.
  std::function<EnsembleUpdate(GaugeField<double>& links, int number)> update;
  std::function<void(const EnsembleState&)> summarize;  ///< says more than the mean plaquette
  OptionBehind option_behind{};                         ///< see `EnsembleDescription`
};

/// The clock of a run with these options.
RunClock run_clock(const Session& session, const EnsembleOptions& options);

Exit run_ensemble(const Session& session, const EnsembleOptions& options, const EnsembleMethod& method,
                  RunClock& clock);

}  // namespace kaon::apps
