// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning.hpp"

#include "core/base/build.hpp"
#include "core/tuning/trials.hpp"
#include "core/tuning/tuning_file.hpp"

#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kaon::detail {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<double> all_tuning{0.0};
std::atomic<long> all_trials{0};

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

/// How little a shape was found for: precision and links must agree, other numbers count by their ratios.
double distance(const ShippedShape& shipped, const TuningKey& key) {
  constexpr double other_kernel = 100.0;
  if (shipped.precision != key.precision || shipped.link_reals != key.link_reals) {
    return std::numeric_limits<double>::infinity();
  }
  double result = 0.0;
  if (shipped.kernel != key.kernel) {
    // "kaon::hop_peer_t" is like "kaon::hop".
    const std::size_t length = shipped.kernel.size();
    if (!key.kernel.starts_with(shipped.kernel) || key.kernel[length] != '_') {
      return std::numeric_limits<double>::infinity();
    }
    result += other_kernel * static_cast<double>(key.kernel.size() - length);
  }
  const auto sites = static_cast<double>(volume_of(key.extents));
  return result + 10.0 * std::abs(std::log(static_cast<double>(shipped.right_hand_sides) / key.right_hand_sides)) +
         std::abs(std::log(shipped.sites / sites));
}

/// The shapes that are shipped for kernels like `key`, the one for the most similar first.
std::vector<LaunchShape> shipped_for(const TuningKey& key, std::span<const ShippedShape> shipped,
                                     const std::string& device) {
  const auto is_here = [&](const ShippedShape& s) { return device.find(s.device) != std::string::npos; };
  const bool any_device = on_device && std::none_of(shipped.begin(), shipped.end(), is_here);
  std::vector<std::pair<double, LaunchShape>> similar;
  for (const ShippedShape& s : shipped) {
    const double apart = distance(s, key);
    if (std::isfinite(apart) && (any_device || is_here(s))) similar.emplace_back(apart, s.shape);
  }
  std::stable_sort(similar.begin(), similar.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<LaunchShape> shapes;
  for (const auto& [apart, shape] : similar) shapes.push_back(shape);
  return shapes;
}

/// Programs try shapes only after so many times the launches that were too few: many short programs would try the same
/// ones.
constexpr double longer = 1.25;

const TuningEntry* entry_of(const TuningKey& key, const std::vector<TuningEntry>& entries) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const TuningEntry& entry) { return same_kernel(entry, key); });
  return found == entries.end() ? nullptr : &*found;
}

TuningEntry entry_for(const TuningKey& key, const LaunchShape& shape, double microseconds, double of_standard) {
  return {std::string(key.kernel), key.extents,          key.processes, key.lanes,    std::string(key.precision),
          key.link_reals,          key.right_hand_sides, shape,         microseconds, of_standard};
}

}  // namespace

double tuning_seconds() { return all_tuning; }
long tuning_trials() { return all_trials; }

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

Tuner::Tuner(Parameters parameters) : parameters_(std::move(parameters)), on_(parameters_.on) {}
Tuner::~Tuner() {
  end_trials();
  save();
}

std::optional<LaunchShape> Tuner::find(const TuningKey& key) {
  const std::lock_guard lock(mutex_);
  if (!unsaved_.empty() && Clock::now() >= save_at_) save_locked();
  const auto found = chosen_.find(key);
  if (found == chosen_.end()) return std::nullopt;
  return found->second;
}

Tuner::Turn Tuner::next(const TuningKey& key, const Communicator& communicator, const Execution& execution,
                        const ShapeStages& stages) {
  const std::lock_guard one_at_a_time(choosing_);
  if (const auto found = find(key)) return {*found, nullptr};
  const bool ahead = ahead_.load(std::memory_order_relaxed);
  std::unique_ptr<Trials>& trials = trials_[key];
  if (!trials) {
    trials = start(key, communicator, stages);
  } else if (trials->may_decide(ahead)) {
    all_tuning += trials->decide(communicator, stages);
  }
  if (trials->over()) {
    const LaunchShape fastest = trials->fastest();
    settle(key, *trials, communicator.rank() == 0);
    trials_.erase(key);
    return {fastest, nullptr};
  }
  Turn turn = trials->next(execution, ahead);
  if (turn.timer) ++all_trials;
  return turn;
}

/// Trials for `key`, which are over if the file has its shape.
std::unique_ptr<Trials> Tuner::start(const TuningKey& key, const Communicator& communicator,
                                     const ShapeStages& stages) {
  const std::vector<LaunchShape> shapes = stages(0, {});
  struct Start {
    bool is_known = false;
    LaunchShape shape;
    long launches = 0;  // of a program that was too short
  } start;
  start.shape = shapes.front();
  if (communicator.rank() == 0) {
    if (const auto known = learned(key); known && is_among(*known, shapes, stages)) {
      start = {true, *known};
    } else {
      const std::lock_guard lock(mutex_);
      const std::string label = fmt::format("{}{}", key.kernel, too_few_launches);
      TuningKey too_few = key;
      too_few.kernel = label;
      if (const TuningEntry* const entry = entry_of(too_few, *known_)) {
        start.launches = std::lround(longer * entry->microseconds);
      }
      for (LaunchShape shipped : shipped_for(key, parameters_.shipped, here().device)) {
        shipped.halo_first = shapes.front().halo_first;
        shipped.edges_last = shapes.front().edges_last;
        if (!is_among(shipped, shapes, stages)) continue;
        start.shape = shipped;
        break;
      }
    }
  }
  communicator.broadcast(&start, sizeof start);
  const bool partitioned = communicator.size() > 1;
  if (!start.is_known) {
    auto trials = std::make_unique<Trials>(start.shape, shapes, stages, partitioned);
    trials->wait(start.launches);
    return trials;
  }
  const auto no_others = [](int, const LaunchShape&) { return std::vector<LaunchShape>(); };
  return std::make_unique<Trials>(start.shape, std::vector<LaunchShape>(), no_others, partitioned);
}

/// Has `find` return what the trials have found, and notes it for the file if they timed anything.
void Tuner::settle(const TuningKey& key, const Trials& trials, bool is_first) {
  const std::lock_guard lock(mutex_);
  chosen_.insert_or_assign(key, trials.fastest());
  if (!std::isfinite(trials.first_seconds())) return;
  const TuningEntry entry =
      entry_for(key, trials.fastest(), 1e6 * trials.fastest_seconds(), 1e6 * trials.first_seconds());
  merge_entries(here(), {entry});
  if (!is_first) return;
  unsaved_.push_back(entry);
  if (Clock::now() >= save_at_) save_locked();
}

/// The shape that the file names for `key`, or that was found with other processes.
std::optional<LaunchShape> Tuner::learned(const TuningKey& key) {
  const std::lock_guard lock(mutex_);
  if (!known_) read_file();
  for (const std::vector<TuningEntry>* entries : {&*known_, &here().entries}) {
    if (const TuningEntry* const entry = entry_of(key, *entries)) return entry->shape;
  }
  return std::nullopt;
}

void Tuner::read_file() {
  known_.emplace();
  if (file().empty()) return;
  TuningResults results = read_tuning_file(file());
  if (!results.problem.empty()) {
    warn(
        fmt::format("the tuning cache {} is not used: {}; launches are tuned again", file().string(), results.problem));
    file_failed_ = !may_be_tuning_file(file());
    return;
  }
  const TuningSection& mine = here();
  known_ = take_section(results.sections, mine).entries;
  if (known_->empty() && std::any_of(results.sections.begin(), results.sections.end(),
                                     [&](const TuningSection& other) { return other.device == mine.device; })) {
    warn(fmt::format("the tuning cache {} is of another build of kaon; launches are tuned again", file().string()));
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

void Tuner::end_trials() {
  const std::scoped_lock lock(choosing_, mutex_);
  for (const auto& [key, trials] : trials_) {
    if (!trials || !known_ || trials->launches() <= trials->waits()) continue;
    const auto launches = static_cast<double>(trials->launches());
    TuningEntry entry = entry_for(key, {}, launches, launches);
    entry.kernel += too_few_launches;
    unsaved_.push_back(entry);
  }
  trials_.clear();
}

void Tuner::clear() {
  const std::scoped_lock lock(choosing_, mutex_);
  chosen_.clear();
  trials_.clear();
  unsaved_.clear();
  here_.entries.clear();
  known_.emplace();
  if (!file().empty()) remove_tuning_file(file());
}

}  // namespace kaon::detail
