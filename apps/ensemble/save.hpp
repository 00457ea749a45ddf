// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/ensemble.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace kaon::apps {

/// Files of the state after an update: a configuration, a checkpoint or both. Threads complete the links while the next
/// updates run. All calls except `is_running` are collective.
class Save {
 public:
  struct Configuration {
    std::string file;  ///< empty: none
    int number = 0;
  };

  /// Starts to write the links. A checkpoint has a file of its own unless the configuration is in the format of
  /// checkpoints. Throws `Failure` if a file cannot be written.
  Save(const Session& session, const EnsembleOptions& options, const EnsembleState& state, Configuration configuration,
       const Checkpoint* checkpoint);

  /// Returns whether a thread of this process still writes.
  bool is_running() const;

  /// Waits for the links, and renames all files. Throws `Failure` if a file could not be written.
  void complete(const EnsembleMethod& method, Checkpoint& checkpoint);

  int updates() const { return progress_.updates; }
  const std::string& configuration() const { return configuration_.file; }
  bool has_checkpoint() const { return has_checkpoint_; }
  /// The time that the complete save has taken, without that of updates after the end of its threads.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  io::Checksum commit(io::GaugeWrite& file);

  const Session& session_;
  const EnsembleOptions& options_;
  Clock::time_point start_ = Clock::now(), last_thread_ = start_;
  double seconds_ = 0;
  EnsembleProgress progress_;
  Lattice lattice_;
  Configuration configuration_;
  bool has_checkpoint_;
  std::unique_ptr<io::GaugeWrite> configuration_links_, checkpoint_links_;
};

}  // namespace kaon::apps
