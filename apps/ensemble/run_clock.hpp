// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace kaon::apps {

/// "23:50:00", "1-12:00:00" (days), "50:00" or a number of seconds, in seconds. Throws `Failure` with the option's
/// name.
double parse_time(const std::string& option, const std::string& text);

/// Thrown by an update that leaves the links as they were: because the run is to stop, or because the update failed.
struct UpdateDropped {
  std::exception_ptr failure = nullptr;
};

/// Decides when a run of updates stops before its end, and when it writes checkpoints: for all processes alike, from
/// the signals that any of them got and from the clock of the first.
class RunClock {
 public:
  struct Turn {
    bool stop = false, checkpoint = false;
  };

  /// Seconds: of the whole program, none without a limit, and between checkpoints at most.
  RunClock(const Session& session, std::optional<double> time_limit, double checkpoint_interval);

  /// Decides before the next update, which is expected to take as long as the longest so far. Collective.
  Turn turn();
  /// Throws `UpdateDropped` where the run is to stop before the end of an update. Collective.
  void within_update();

  /// Files that threads write beside the updates: whether they still do on this process, and a function that completes
  /// them, if there are any. `turn` and `within_update` call it where no process writes any more.
  struct Writing {
    std::function<bool()> is_running;
    std::function<void()> complete;
  };
  void set_writing(Writing writing) { writing_ = std::move(writing); }

  /// The time that a checkpoint takes, at first a guess.
  void expect_checkpoint(double seconds) { longest_checkpoint_ = std::max(longest_checkpoint_, seconds); }
  /// The interval to the next checkpoint starts.
  void start_checkpoint() { last_checkpoint_ = Clock::now(); }

  /// Calls `action`, remembers how long it took and returns its result.
  template <class Action>
  auto update(const Action& action) {
    const Timed timed(longest_update_);
    return action();
  }

  /// "SIGTERM" or "--time-limit", after a turn that stops.
  std::string reason() const;
  Exit exit_code() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Stores the longest time between its start and its end in seconds.
  class Timed {
   public:
    explicit Timed(double& longest) : longest_(longest) {}
    ~Timed() { longest_ = std::max(longest_, std::chrono::duration<double>(Clock::now() - begin_).count()); }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    double& longest_;
    Clock::time_point begin_ = Clock::now();
  };

  Turn ask(double seconds);

  const Session& session_;
  std::optional<double> time_limit_;
  double checkpoint_interval_;
  double longest_update_ = 0, longest_checkpoint_ = 0;
  Clock::time_point last_checkpoint_ = Clock::now();
  Writing writing_;
  int signal_ = 0;
  bool is_out_of_time_ = false;
};

}  // namespace kaon::apps
