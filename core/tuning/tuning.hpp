// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>
#include <kaon/core/tuning.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

namespace kaon::detail {

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

/// Launches a kernel in a shape, without waiting for it.
using ShapedLaunch = std::function<void(const LaunchShape&)>;

/// How fast the fastest of some shapes is, and how fast the first.
struct ShapeTiming {
  std::size_t fastest = 0;
  double seconds = 0.0;
  double standard_seconds = 0.0;
};

/// Times the shapes, the first of which is the standard: it remains unless another is faster by more than 2 %.
///
/// Each is launched once to warm up, then several times in a row between two fences of `execution`, three times over;
/// the shortest counts, and of the processes the slowest. Shapes that are far behind after one launch are left, and
/// after two seconds all that have not been tried. Collective.
ShapeTiming time_shapes(std::span<const LaunchShape> shapes, const Communicator& communicator,
                        const Execution& execution, const ShapedLaunch& launch);

/// By which launches are timed: the steady clock. Tests set one of their own, on which the machine's load is not seen.
extern std::chrono::steady_clock::time_point (*tuning_clock)();

/// Seconds that this process has spent on timing launch shapes. Reports of solves leave them out.
double tuning_seconds();

/// Finds launch shapes by trying them, and caches them in memory and in a file. May be used by several threads.
class Tuner {
 public:
  struct Parameters {
    bool on = true;
    std::filesystem::path file;                                             ///< empty: memory only
    std::string device;                                                     ///< empty: the one that Kokkos runs on
    std::string build;                                                      ///< empty: this one
    std::chrono::duration<double> save_interval = std::chrono::seconds(1);  ///< at most this often is the file written
  };
  explicit Tuner(Parameters parameters) : parameters_(std::move(parameters)), on_(parameters_.on) {}
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

  /// Calls its argument once, with a launch that may be repeated at will: it writes to scratch memory.
  using Rehearsal = std::function<void(const std::function<void(const ShapedLaunch&)>&)>;
  /// One of `shapes`, the first of which is the standard: from the file, or else the fastest. The standard where there
  /// is no memory to rehearse in. Collective: all processes choose the same, and the first reads and writes the file.
  LaunchShape choose(const TuningKey& key, std::span<const LaunchShape> shapes, const Communicator& communicator,
                     const Execution& execution, const Rehearsal& rehearse);

  /// Has `find` return `shape` for `key` from now on.
  void remember(const TuningKey& key, const LaunchShape& shape);

  /// Writes what is not yet in the file; problems become a warning.
  void save();
  TuningResults results();
  void clear();

 private:
  void save_locked();
  void read_file();
  std::size_t index_in_file(const TuningKey& key, std::span<const LaunchShape> shapes);
  TuningSection& here();

  const Parameters parameters_;
  std::atomic<bool> on_;
  std::mutex choosing_;  // one at a time: others would disturb the clock
  std::mutex mutex_;     // for all that follows
  std::unordered_map<TuningKey, LaunchShape, TuningKeyHash> chosen_;
  TuningSection here_;                             // what this process found
  std::optional<std::vector<TuningEntry>> known_;  // what the file said
  std::vector<TuningEntry> unsaved_;
  std::chrono::steady_clock::time_point save_at_{};
  bool file_failed_ = false;
};

/// Switches tuning on or off as it is on the first process: whether kernels are timed must be the same on all.
/// Collective. Throws `Error` in all processes for a KAON_TUNE that has no meaning on the first.
void share_tuning_setting(const Communicator& communicator);

}  // namespace kaon::detail
