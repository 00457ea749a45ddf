// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/gauge/gauge_formats.hpp"
#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/gauge_file.hpp>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <vector>

namespace kaon::io {

/// A gauge file that is completed by a thread while the program computes.
///
/// The constructor checks the links and writes the header. On GPUs the thread then encodes and writes the links of this
/// process, by all threads of the host but one. On hosts, whose threads compute, the constructor does that, too, and
/// the thread only waits for the disk. The thread does not communicate. Its failures are thrown by `commit`.
class GaugeWrite {
 public:
  /// Starts to write the file of `write_parts`. On GPUs the links remain in memory until the file is complete. Throws
  /// `Error` as `write_links` does. Collective.
  GaugeWrite(const std::filesystem::path& path, const Part& part, std::shared_ptr<const HostLinks> links,
             const WriteOptions& options);
  /// Waits for the thread and removes the file, unless it was committed.
  ~GaugeWrite() = default;
  GaugeWrite(const GaugeWrite&) = delete;
  GaugeWrite& operator=(const GaugeWrite&) = delete;

  /// Returns whether the thread of this process still works.
  bool is_running() const;

  /// Waits for the thread and renames the file; returns its checksum. Throws `Error`. Collective.
  Checksum commit();

  /// The time when the thread ended, after `commit`.
  std::chrono::steady_clock::time_point end() const { return end_; }

 private:
  Communicator communicator_;
  StartedGauge started_;
  std::chrono::steady_clock::time_point end_{};
  std::future<std::vector<Checksum>>
      body_;  ///< the last member: its destructor waits for the thread, which uses the others
};

}  // namespace kaon::io
