// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning.hpp"

#include "core/base/build.hpp"
#include "core/tuning/tuning_file.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace kaon::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// Shapes depend on the number of threads, and timings of code without optimisation do not apply to code with it.
std::string device_here() {
  if (on_device) return device_name();
  const int threads = Execution().concurrency();
  return fmt::format("{}, {} thread{}", device_name(), threads, threads == 1 ? "" : "s");
}

std::string build_here() {
#if defined(__OPTIMIZE__)
  constexpr const char* optimised = "";
#else
  constexpr const char* optimised = ", not optimised";
#endif
  const std::string commit = kaon_commit();
  return fmt::format("kaon {}{}, {}, Kokkos {}, {}{}", kaon_version(), commit.empty() ? "" : " (" + commit + ")",
                     compiler(), kokkos_version(), instruction_set(), optimised);
}

void warn(const std::string& text) { tell(MessageKind::warning, text); }

/// Text of an exception without the place in the source that `Error` appends.
std::string text_of(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.rfind(" ["));
}

}  // namespace

std::size_t TuningKeyHash::operator()(const TuningKey& key) const {
  const std::hash<std::string_view> hash_of_text;
  std::uint64_t hash = hash_of_text(key.kernel) ^ (hash_of_text(key.precision) << 1);
  const auto add = [&hash](int value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const int extent : key.extents) add(extent);
  for (const int value : {key.processes, key.lanes, key.link_reals, key.right_hand_sides, key.group}) {
    add(value);
  }
  return hash;
}

Tuner::~Tuner() { save(); }

std::optional<LaunchShape> Tuner::find(const TuningKey& key) {
  const std::lock_guard lock(mutex_);
  if (!unsaved_.empty() && Clock::now() >= save_at_) save_locked();
  const auto found = chosen_.find(key);
  if (found == chosen_.end()) return std::nullopt;
  return found->second;
}

LaunchShape Tuner::choose(const TuningKey& key, std::span<const LaunchShape> shapes, const Communicator& communicator,
                          const Execution& execution, const Rehearsal& rehearse) {
  const std::lock_guard one_at_a_time(choosing_);
  if (const auto found = find(key)) return *found;
  if (shapes.size() == 1) {
    remember(key, shapes[0]);
    return shapes[0];
  }
  std::size_t chosen = shapes.size();
  if (communicator.rank() == 0) chosen = index_in_file(key, shapes);
  communicator.broadcast(&chosen, sizeof chosen);
  if (chosen < shapes.size()) {
    remember(key, shapes[chosen]);
    return shapes[chosen];
  }

  bool reached = false;
  std::optional<ShapeTiming> timing;
  try {
    rehearse([&](const ShapedLaunch& launch) {
      reached = true;
      if (!communicator.any(false)) timing = time_shapes(shapes, communicator, execution, launch);
    });
  } catch (const std::exception&) {
    if (reached) throw;
    static_cast<void>(communicator.any(true));  // no memory here: the others must do without as well
  }
  const LaunchShape shape = shapes[timing ? timing->fastest : 0];
  remember(key, shape);
  if (!timing) return shape;

  const TuningEntry entry{std::string(key.kernel),
                          key.extents,
                          key.processes,
                          key.lanes,
                          std::string(key.precision),
                          key.link_reals,
                          key.right_hand_sides,
                          shape,
                          1e6 * timing->seconds,
                          1e6 * timing->standard_seconds};
  const std::lock_guard lock(mutex_);
  merge_entries(here(), {entry});
  if (communicator.rank() == 0) {
    unsaved_.push_back(entry);
    if (Clock::now() >= save_at_) save_locked();
  }
  return shape;
}

void Tuner::remember(const TuningKey& key, const LaunchShape& shape) {
  const std::lock_guard lock(mutex_);
  chosen_.insert_or_assign(key, shape);
}

/// The shape that the file names for `key`, or that was found with other processes; `shapes.size()` if there is none
/// or one that is not among them.
std::size_t Tuner::index_in_file(const TuningKey& key, std::span<const LaunchShape> shapes) {
  const std::lock_guard lock(mutex_);
  if (!known_) read_file();
  for (const std::vector<TuningEntry>* entries : {&*known_, &here().entries}) {
    for (const TuningEntry& entry : *entries) {
      if (!same_kernel(entry, key)) continue;
      return static_cast<std::size_t>(std::find(shapes.begin(), shapes.end(), entry.shape) - shapes.begin());
    }
  }
  return shapes.size();
}

void Tuner::read_file() {
  known_.emplace();
  if (file().empty()) return;
  TuningResults results = read_tuning_file(file());
  if (!results.problem.empty()) {
    warn(fmt::format("the tuning cache {} is not used: {}; kernels are timed again", file().string(), results.problem));
    file_failed_ = !may_be_tuning_file(file());
    return;
  }
  const TuningSection& mine = here();
  known_ = take_section(results.sections, mine).entries;
  if (known_->empty() && std::any_of(results.sections.begin(), results.sections.end(),
                                     [&](const TuningSection& other) { return other.device == mine.device; })) {
    warn(fmt::format("the tuning cache {} is of another build of kaon; kernels are timed again", file().string()));
  }
}

TuningSection& Tuner::here() {
  if (here_.device.empty()) {
    here_.device = parameters_.device.empty() ? device_here() : parameters_.device;
    here_.build = parameters_.build.empty() ? build_here() : parameters_.build;
  }
  return here_;
}

void Tuner::save() {
  const std::lock_guard lock(mutex_);
  save_locked();
}

void Tuner::save_locked() {
  if (unsaved_.empty()) return;
  if (!file().empty() && !file_failed_) {
    try {
      merge_into_tuning_file(file(), {here().device, here().build, unsaved_});
    } catch (const std::exception& error) {
      file_failed_ = true;
      warn(text_of(error) + "; what is found is kept in memory only");
    }
  }
  unsaved_.clear();
  save_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(parameters_.save_interval);
}

TuningResults Tuner::results() {
  const std::lock_guard lock(mutex_);
  TuningResults results;
  if (!file().empty()) results = read_tuning_file(file());
  TuningSection first = take_section(results.sections, here());
  merge_entries(first, here().entries);
  results.sections.insert(results.sections.begin(), first);
  return results;
}

void Tuner::clear() {
  const std::lock_guard lock(mutex_);
  chosen_.clear();
  unsaved_.clear();
  here_.entries.clear();
  known_.emplace();
  if (!file().empty()) remove_tuning_file(file());
}

}  // namespace kaon::detail
