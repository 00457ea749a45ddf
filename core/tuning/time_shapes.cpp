// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

namespace kaon::detail {

std::chrono::steady_clock::time_point (*tuning_clock)() = &std::chrono::steady_clock::now;

namespace {

std::atomic<double> all_tuning{0.0};

/// Adds the seconds of its life to all_tuning.
class TuningTime {
 public:
  TuningTime() = default;
  TuningTime(const TuningTime&) = delete;
  TuningTime& operator=(const TuningTime&) = delete;
  ~TuningTime() { all_tuning += std::chrono::duration<double>(tuning_clock() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = tuning_clock();
};

constexpr int repeats = 3;
constexpr double enough_seconds = 1e-3;  // for one repeat: a thousand times what the clock and a fence cost
constexpr double long_seconds = 20e-3;   // of a launch that need not be made twice in a row
constexpr int most_launches = 100;
constexpr double far_behind = 1.5;
constexpr double all_seconds = 2.0;
constexpr double gain = 0.98;

class ShapeClock {
 public:
  ShapeClock(const Communicator& communicator, const Execution& execution, const ShapedLaunch& launch)
      : communicator_(communicator), execution_(execution), launch_(launch) {}

  /// Seconds of one of `count` launches. All processes get that of the slowest.
  double seconds(const LaunchShape& shape, int count) {
    execution_.fence("kaon::time_shapes: before");
    const auto start = tuning_clock();
    for (int n = 0; n < count; ++n) launch_(shape);
    execution_.fence("kaon::time_shapes: after");
    double elapsed = std::chrono::duration<double>(tuning_clock() - start).count();
    communicator_.maximum(std::span(&elapsed, 1));
    spent_ += elapsed;
    return elapsed / count;
  }

  /// The shortest of some repeats.
  double shortest_seconds(const LaunchShape& shape, int count) {
    double shortest = std::numeric_limits<double>::infinity();
    for (int n = 0; n < repeats; ++n) shortest = std::min(shortest, seconds(shape, count));
    return shortest;
  }

  double spent() const { return spent_; }

 private:
  const Communicator& communicator_;
  const Execution& execution_;
  const ShapedLaunch& launch_;
  double spent_ = 0.0;
};

/// How often a launch that takes `seconds` is made in a row.
int launches(double seconds) {
  if (seconds > long_seconds) return 1;
  return static_cast<int>(std::clamp(enough_seconds / seconds + 1.0, 2.0, static_cast<double>(most_launches)));
}

}  // namespace

double tuning_seconds() { return all_tuning; }

ShapeTiming time_shapes(std::span<const LaunchShape> shapes, const Communicator& communicator,
                        const Execution& execution, const ShapedLaunch& launch) {
  const TuningTime time;
  ShapeClock clock(communicator, execution, launch);
  ShapeTiming result;
  double shortest_first = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < shapes.size() && (n == 0 || clock.spent() < all_seconds); ++n) {
    launch(shapes[n]);  // to warm up
    const double first = clock.seconds(shapes[n], 1);
    if (first > far_behind * shortest_first) continue;
    shortest_first = std::min(shortest_first, first);
    const double seconds = clock.shortest_seconds(shapes[n], launches(first));
    if (n == 0) result = {0, seconds, seconds};
    if (seconds < result.seconds) {
      result.fastest = n;
      result.seconds = seconds;
    }
  }
  if (result.fastest == 0) return result;
  // The machine may have been busy, or cold, while the standard was timed.
  const int count = launches(result.seconds);
  for (int n = 0; n < repeats; ++n) {
    result.standard_seconds = std::min(result.standard_seconds, clock.seconds(shapes[0], count));
    result.seconds = std::min(result.seconds, clock.seconds(shapes[result.fastest], count));
  }
  if (result.seconds < gain * result.standard_seconds) return result;
  return {0, result.standard_seconds, result.standard_seconds};
}

}  // namespace kaon::detail
