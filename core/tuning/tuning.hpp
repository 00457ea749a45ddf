// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/launch_timer.hpp"
#include "core/tuning/shipped_shapes.hpp"
#include "core/tuning/tuning_results.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>
#include <kaon/core/tuning.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kaon::detail {

class Trials;

/// The case for which a launch shape is chosen, on one device by one build. Made and looked up at every launch: no
/// memory of its own.
struct TuningKey {
  std::string_view kernel;  ///< its label, which lives as long as the program
  Coordinates extents{};    ///< of this process
  int processes = 1;
  int lanes = 1;               ///< W; 0 on coarse lattices
  std::string_view precision;  ///< `precision_name`
  int link_reals = 0;
  int right_hand_sides = 1;
  int group = 0;  ///< of processes, which choose together: what one found with others the rest of them may not know

  friend bool operator==(const TuningKey&, const TuningKey&) = default;
};

struct TuningKeyHash {
  std::size_t operator()(const TuningKey& key) const;
};

/// For a kernel on fields of T, with `link_reals` reals stored for each link (0: it reads none).
template <class T>
TuningKey tuning_key(std::string_view kernel, const Lattice& lattice, int link_reals, int right_hand_sides) {
  return {kernel,
          lattice.local_extents(),
          lattice.communicator().size(),
          lattice.is_coarse() ? 0 : lattice.template lane_count<T>(),
          precision_name<T>(),
          link_reals,
          right_hand_sides,
          lattice.communicator().group()};
}

/// Shapes that may be faster than `best`, the fastest that earlier stages found: of stage 0 the standard comes first.
/// The list is empty after the last stage. Alike on all processes; stage 0 may be collective.
using ShapeStages = std::function<std::vector<LaunchShape>(int stage, const LaunchShape& best)>;

/// Seconds by which launches in other shapes took longer than in the fastest one. Reports of solves leave them out.
double tuning_seconds();
/// Launches of this process that were trials.
long tuning_trials();

/// Finds launch shapes by trying them on launches that a program makes anyway, and caches them in memory and in a file.
/// May be used by several threads.
class Tuner {
 public:
  struct Parameters {
    bool on = true;
    std::filesystem::path file;                                             ///< empty: memory only
    std::string device;                                                     ///< empty: the one that Kokkos runs on
    std::string build;                                                      ///< empty: this one
    std::chrono::duration<double> save_interval = std::chrono::seconds(1);  ///< at most this often is the file written
    std::span<const ShippedShape> shipped{};  ///< shapes of kernels that were tuned before
  };
  explicit Tuner(Parameters parameters);
  /// Saves.
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// The program's tuner, as the environment says. Throws `Error` for a KAON_TUNE that has no meaning.
  static Tuner& instance();

  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  void switch_on(bool on) { on_.store(on, std::memory_order_relaxed); }
  const std::filesystem::path& file() const { return parameters_.file; }

  /// The shape that was chosen before. On the path of every launch.
  std::optional<LaunchShape> find(const TuningKey& key);

  /// How a launch that `find` has no shape for is made: in a shape that is tried, or in the fastest so far. Its timer,
  /// if it has one, runs and is to be stopped after the launch, in which nothing is waited for.
  ///
  /// The first launches use the shape of the file, or else the one that is shipped for this device, or the standard.
  /// One of four launches then tries another shape. A shape that is far behind is tried once, others several times; one
  /// that is faster by 2 % becomes the fastest. Collective: all processes try the same, and the slowest one's time
  /// counts; the first reads and writes the file. There is no communication but on the first launch, and where a
  /// decision falls.
  struct Turn {
    LaunchShape shape;
    std::shared_ptr<LaunchTimer> timer;
  };
  Turn next(const TuningKey& key, const Communicator& communicator, const Execution& execution,
            const ShapeStages& stages);

  /// While `ahead`, every launch is a trial and waits for its end, so that all are soon over.
  void set_ahead(bool ahead) { ahead_.store(ahead, std::memory_order_relaxed); }

  /// Forgets trials that are not over. Their launches continue in the shapes that they start with.
  void end_trials();

  /// Writes what is not yet in the file; problems become a warning.
  void save();
  TuningResults results();
  void clear();

 private:
  void save_locked();
  void read_file();
  std::unique_ptr<Trials> start(const TuningKey& key, const Communicator& communicator, const ShapeStages& stages);
  std::optional<LaunchShape> learned(const TuningKey& key);
  void settle(const TuningKey& key, const Trials& trials, bool is_first);
  TuningSection& here();

  const Parameters parameters_;
  std::atomic<bool> on_;
  std::atomic<bool> ahead_ = false;
  std::mutex choosing_;  // one at a time
  std::unordered_map<TuningKey, std::unique_ptr<Trials>, TuningKeyHash> trials_;
  std::mutex mutex_;  // for all that follows
  std::unordered_map<TuningKey, LaunchShape, TuningKeyHash> chosen_;
  TuningSection here_;                             // what this process found
  std::optional<std::vector<TuningEntry>> known_;  // what the file said
  std::vector<TuningEntry> unsaved_;
  std::chrono::steady_clock::time_point save_at_{};
  bool file_failed_ = false;
};

/// One launch: it is made in `shape()` while this lives.
class TunedLaunch {
 public:
  /// `standard()` is the shape that is used without tuning.
  template <class Standard, class Stages>
  TunedLaunch(const TuningKey& key, const Lattice& lattice, const Standard& standard, const Stages& stages) {
    Tuner& tuner = Tuner::instance();
    if (!tuner.is_on()) {
      turn_.shape = standard();
    } else if (const auto found = tuner.find(key)) {
      turn_.shape = *found;
    } else {
      turn_ = tuner.next(key, lattice.communicator(), lattice.execution(), stages);
    }
  }
  ~TunedLaunch() {
    if (turn_.timer) turn_.timer->stop();
  }
  TunedLaunch(const TunedLaunch&) = delete;
  TunedLaunch& operator=(const TunedLaunch&) = delete;

  const LaunchShape& shape() const { return turn_.shape; }

 private:
  Tuner::Turn turn_;
};

/// Calls `body` until no launch in it is a trial any more: before launches are timed by others. Collective.
template <class Body>
void tune_ahead(const Body& body) {
  Tuner& tuner = Tuner::instance();
  tuner.set_ahead(true);
  long before = 0;
  do {
    before = tuning_trials();
    body();
  } while (tuning_trials() != before);
  tuner.set_ahead(false);
}

/// Switches tuning on or off as it is on the first process: whether kernels are timed must be the same on all.
/// Collective. Throws `Error` in all processes for a KAON_TUNE that has no meaning on the first.
void share_tuning_setting(const Communicator& communicator);

}  // namespace kaon::detail
