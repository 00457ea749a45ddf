// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/gauge_output.hpp"
#include "apps/output.hpp"

#include <kaon/core/gauge_field.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kaon::apps {

/// What determines the configurations of an ensemble: runs that agree in it give identical links.
struct EnsembleParameters {
  Coordinates extents{};
  double beta = 0;
  int overrelaxation = 4;  ///< overrelaxation sweeps after each heatbath sweep
  int thermalization = 0;  ///< updates before the first that counts
  std::uint64_t seed = 1;
  std::string start = "cold";  ///< cold, hot or a gauge file
};

/// What a run of an ensemble writes: how many configurations, and how.
struct EnsembleOutput {
  int sweeps = 100;    ///< updates that count
  int save_every = 0;  ///< updates between configurations; 0: the last only
  GaugeOutputOptions format;
};

/// Where a run is: the links after a number of updates. Random numbers are keyed by the update, so there is no other
/// state.
struct EnsembleState {
  GaugeField<double> links;
  int updates = 0;                 ///< thermalization included
  std::vector<double> plaquettes;  ///< after each update that counts
};

/// The files PREFIX.checkpoint.json, and PREFIX.checkpoint-a.lime or -b.lime, whichever the first names: a crash at any
/// time leaves a checkpoint that is whole. The first states checksums of the links and of itself, so that nothing else
/// is taken for the state of the run.
class Checkpoint {
 public:
  explicit Checkpoint(std::string prefix);

  bool exists(const Session& session) const;
  /// The state that was written last. Throws `Failure` if there is no such file, if it is damaged or changed, if the
  /// checksum of its links is another, or if an option differs from the first run's (the message names the option).
  /// `sweeps` may be larger than in the first run.
  EnsembleState read(const Session& session, const Lattice& lattice, const EnsembleParameters& parameters,
                     const EnsembleOutput& output);
  void write(const Session& session, const EnsembleParameters& parameters, const EnsembleOutput& output,
             const EnsembleState& state);

  const std::string& path() const { return state_file_; }
  /// All three.
  std::vector<std::string> files() const;

 private:
  std::string links_file() const;

  std::string prefix_;
  std::string state_file_;
  bool next_is_b_ = false;
};

/// Mean of correlated numbers and its statistical error, from the scatter of 20 bins (none where there are too few).
struct BinnedMean {
  double mean = 0;
  std::optional<double> error;
};
BinnedMean binned_mean(const std::vector<double>& values);

}  // namespace kaon::apps
