// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "apps/ensemble/run_clock.hpp"
#include "apps/files/gauge_files.hpp"

#include <kaon/core/chain_mean.hpp>
#include <kaon/core/gauge_field.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kaon::apps {

/// Parameters that determine the configurations of an ensemble: runs with the same parameters produce identical links.
struct EnsembleParameters {
  Coordinates extents{};
  int thermalization = 0;  ///< updates before the first that counts
  std::uint64_t seed = 1;
  std::string start = "cold";  ///< cold, hot or a gauge file
};

/// Output of a run of an ensemble: how many configurations, and how.
struct EnsembleOutput {
  int updates = 100;   ///< that count
  int save_every = 0;  ///< updates between configurations; 0: the last only
  GaugeOutputOptions format;
};

/// The option behind parameter `name` of a run with `options`, without hyphens, and its value there: they differ from
/// name and parameter where a parameter can be given by several options.
using OptionBehind = std::function<std::pair<std::string, Json>(const std::string& name, const Json& options)>;

/// How far a run has come.
struct EnsembleProgress {
  int updates = 0;                            ///< thermalization included
  std::vector<std::vector<double>> series{};  ///< numbers of each update that counts, by series
};

/// The state of a run: the links after a number of updates. Random numbers are keyed by the update, so there is no
/// other state.
struct EnsembleState : EnsembleProgress {
  GaugeField<double> links;
};

/// The options of a run.
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

/// Result of an update.
struct EnsembleUpdate {
  std::vector<double> numbers;  ///< one for each series; the plaquette is the first
  std::string progress;         ///< what a line of progress says of it beside the plaquette
};

/// How links are updated.
struct EnsembleMethod {
  std::string noun;                 ///< "update"
  std::string nouns;                ///< "updates"
  std::string count_option;         ///< the option behind `EnsembleOutput::updates`, without hyphens: "sweeps"
  std::string progress;             ///< the heading of `EnsembleUpdate::progress`
  Json options;                     ///< what else determines the configurations, by the names of options
  std::vector<std::string> series;  ///< names of the numbers that each update that counts has
  std::function<void(const Lattice&)> describe;  ///< says what the run is
  /// Update `number`, from 1 on, thermalization included. May throw `UpdateDropped`.
  std::function<EnsembleUpdate(GaugeField<double>& links, int number)> update;
  /// Says in each line of progress what all updates that count show together, behind `EnsembleUpdate::progress`.
  std::function<std::string(const EnsembleProgress&)> running{};
  std::function<void(const EnsembleState&)> summarize;  ///< says more than the mean plaquette
  OptionBehind option_behind{};  ///< for messages; empty: the names in `options` are those of options
};

/// The files PREFIX.checkpoint.json, and PREFIX.checkpoint-a.lime or -b.lime, whichever the first names: a crash at any
/// time leaves a checkpoint that is whole. The first states checksums of the links and of itself, so that no other file
/// passes for the state of the run.
class Checkpoint {
 public:
  explicit Checkpoint(std::string prefix);

  bool exists(const Session& session) const;
  /// The state that was written last. Throws `Failure` if there is no such file, if it is damaged or changed, if the
  /// checksum of its links is another, or if an option differs from the first run's (the message names the option). The
  /// number of updates may be larger than in the first run.
  EnsembleState read(const Session& session, const Lattice& lattice, const EnsembleOptions& options,
                     const EnsembleMethod& method);
  /// The file for the links of the next checkpoint.
  std::string links_file() const;
  /// Makes the checkpoint of links that are in `links_file()`, with this checksum. Throws `Failure` if the file cannot
  /// be written.
  void write(const Session& session, const Lattice& lattice, const EnsembleOptions& options,
             const EnsembleMethod& method, const EnsembleProgress& progress, const io::Checksum& links_checksum);

  const std::string& path() const { return state_file_; }
  /// All three.
  std::vector<std::string> files() const;

 private:
  std::string prefix_;
  std::string state_file_;
  bool next_is_b_ = false;
};

/// "0.5934 +- 0.0012 (tau_int 2.1 +- 0.4)", with two digits of the error; without an error "0.593427"; large numbers as
/// "1.699e+146".
std::string describe(const ChainMean& mean);
/// "0.5934 +- 0.0012": `describe` without tau_int.
std::string describe_value(const ChainMean& mean);

// The common part of subcommands that generate gauge fields: a run with its options, files and checkpoints.

/// --size, --grid.
void add_lattice_options(const Command& command, EnsembleOptions& options);
/// --start, --ignore-stated-plaquette, --seed, --thermalization, and how many updates count, as the option `count`.
void add_count_options(const Command& command, EnsembleOptions& options, const std::string& count,
                       const std::string& updates);
/// --output and the others of the group Output.
void add_run_options(const Command& command, EnsembleOptions& options, const std::string& updates);
/// Throws `Failure` for what contradicts itself; reads --size.
void check(EnsembleOptions& options);

/// The links of --start.
GaugeField<double> first_links(const Session& session, const EnsembleOptions& options, const Lattice& lattice);

/// The clock of a run with these options.
RunClock run_clock(const Session& session, const EnsembleOptions& options);

Exit run_ensemble(const Session& session, const EnsembleOptions& options, const EnsembleMethod& method,
                  RunClock& clock);

}  // namespace kaon::apps
