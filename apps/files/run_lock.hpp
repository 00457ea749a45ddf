// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ending_signals.hpp"

#include <kaon/comm/session.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace kaon::apps {

/// The lock of a run that writes the files of a PREFIX: the file PREFIX.lock, locked by the first process.
///
/// The system lets the lock go when the process ends, however it ends: a file that a killed run has left is no
/// obstacle. A run that ends by itself or by a signal
/// removes its file.
class RunLock {
 public:
  /// Throws `Failure` on all processes where another run holds the lock, saying which, or the file cannot be made.
  /// Where the file system has no locks, the run goes on with a note. Collective.
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

}  // namespace kaon::apps
