// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <chrono>
#include <limits>

namespace kaon::detail {

/// Seconds of what has not been timed.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Time that launches take from the start of this to `stop`. On GPUs it is read from events in the stream of
/// `execution`, so that `seconds` alone waits.
class LaunchTimer {
 public:
  explicit LaunchTimer(const Execution& execution);
  ~LaunchTimer();
  LaunchTimer(const LaunchTimer&) = delete;
  LaunchTimer& operator=(const LaunchTimer&) = delete;

  void stop() noexcept;
  /// Waits for the launches. Infinity if they were not stopped or cannot be timed.
  double seconds() const noexcept;

 private:
  Execution execution_;
  void* events_[2] = {nullptr, nullptr};  // of CUDA
  std::chrono::steady_clock::time_point start_;
  double elapsed_;
};

/// By which launches are timed on hosts: the steady clock. Tests set one of their own, on which the machine's load is
/// not seen.
extern std::chrono::steady_clock::time_point (*tuning_clock)();

}  // namespace kaon::detail
