// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/files/gauge_files.hpp"

#include <kaon/core/chain_mean.hpp>
#include <kaon/core/gauge_field.hpp>

#include <cstdint>
#include <functional>
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

/// Description of a run, for its checkpoints.
struct EnsembleDescription {
  EnsembleParameters parameters;
  EnsembleOutput output;
  Json method;                      ///< what else determines the configurations, by the names of options
  std::string count_option;         ///< the option behind `EnsembleOutput::updates`, without hyphens
  std::vector<std::string> series;  ///< names of the numbers that each update that counts has
  OptionBehind option_behind;       ///< for messages; empty: the names in `method` are those of options
  std::set<std::string> named;      ///< options that the command line has
};

/// The state of a run: the links after a number of updates. Random numbers are keyed by the update, so there is no
/// other state.
struct EnsembleState {
  GaugeField<double> links;
  int updates = 0;                            ///< thermalization included
  std::vector<std::vector<double>> series{};  ///< numbers of each update that counts, by series
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
  EnsembleState read(const Session& session, const Lattice& lattice, const EnsembleDescription& run);
  void write(const Session& session, const EnsembleDescription& run, const EnsembleState& state);

  const std::string& path() const { return state_file_; }
  /// All three.
  std::vector<std::string> files() const;

 private:
  std::string links_file() const;

  std::string prefix_;
  std::string state_file_;
  bool next_is_b_ = false;
};

/// "0.5934 +- 0.0012 (tau_int 2.1 +- 0.4)", with two digits of the error; without an error "0.593427"; large numbers as
/// "1.699e+146".
std::string describe(const ChainMean& mean);

}  // namespace kaon::apps
