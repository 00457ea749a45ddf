// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ending_signals.hpp"

#include <kaon/comm/session.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kaon::apps {

/// The files of a run of `kaon generate` that exist, as the first process finds them: PREFIX_000100.lime and its like
/// (.nersc, .h5), PREFIX.checkpoint.json, PREFIX.checkpoint-a.lime and -b.lime. The JSON file comes first. Empty on the
/// other processes. Throws `Failure` where the folder cannot be searched. Collective.
std::vector<std::filesystem::path> files_of_run(const Session& session, const std::string& prefix);

/// Removes them and the partial files of writers that were killed. The JSON file is removed first, so that a run whose
/// removal is interrupted cannot be resumed. Returns their number on the first process. Collective.
std::size_t remove_files_of_run(const Session& session, const std::string& prefix);

/// Adds the name `name` to `file` (a hard link), after it removed a regular file of that name. Copies the file if the
/// file system has no hard links, or if the name is that of a symbolic link. Throws `Failure` if neither is possible.
/// Collective.
void name_or_copy(const Session& session, const std::filesystem::path& file, const std::filesystem::path& name);

/// The lock of a run that writes the files of a PREFIX: the file PREFIX.lock, locked by the first process.
///
/// The system releases the lock at any end of the process: the file of a killed run is no obstacle. A run that ends by
/// itself or by a signal removes its file.
class RunLock {
 public:
  /// Throws `Failure` on all processes if another run, which the message names, holds the lock, or if the file cannot
  /// be made. On file systems without locks the run continues with a note. Collective.
  RunLock(const Session& session, const std::string& prefix);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  void take(const std::string& prefix);
  bool try_once(const std::string& prefix);
  void sign() const;

  std::filesystem::path path_;
  bool is_locked_ = false;
  int descriptor_ = -1;  ///< of the first process
  std::optional<detail::RemovedBySignals> removed_by_signals_;
};

/// Returns whether a run holds the lock of a PREFIX, as the first process finds it. Collective.
bool is_locked(const Session& session, const std::string& prefix);

}  // namespace kaon::apps
