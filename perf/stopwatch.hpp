// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>
#include <kaon/core/execution.hpp>

#include <cstdint>
#include <span>

namespace kaon::perf {

/// Time between two fences, all processes starting together and the slowest one counting.
class Stopwatch {
 public:
  Stopwatch(const Communicator& communicator, const Execution& execution)
      : communicator_(communicator), execution_(execution) {}

  void start() {
    execution_.fence("kaon::perf::start");
    communicator_.barrier();
    timer_.reset();
  }

  /// Seconds since `start`, the same on all processes.
  double stop() {
    execution_.fence("kaon::perf::stop");
    return communicator_.maximum(timer_.seconds());
  }

  /// Seconds of `count` calls of `body`.
  template <class Body>
  double seconds_of(std::int64_t count, const Body& body) {
    start();
    for (std::int64_t i = 0; i < count; ++i) body();
    return stop();
  }

 private:
  const Communicator& communicator_;
  const Execution& execution_;
  Kokkos::Timer timer_;
};

}  // namespace kaon::perf
