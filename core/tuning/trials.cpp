// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/trials.hpp"

#include <algorithm>
#include <cmath>

namespace kaon::detail {
namespace {

constexpr long launches_per_trial = 4;  // solvers repeat two, three or four launches: each is tried with all shapes
constexpr long launches_behind = on_device ? 16 : 0;  // a device's queue is never empty while its clock is read
constexpr int repeats = 3;
constexpr std::size_t most_repeated = 4;
constexpr double far_behind = 1.2;  // of the fastest so far, which is among those of the second round
constexpr double gain = 0.98;

bool leads_to(const LaunchShape& shape, const LaunchShape& from, const ShapeStages& stages, int stage) {
  const std::vector<LaunchShape> next = stages(stage, from);
  if (next.empty()) return from == shape;
  return std::any_of(next.begin(), next.end(),
                     [&](const LaunchShape& other) { return leads_to(shape, other, stages, stage + 1); });
}

/// `shape` in the order of `other` as far as a later stage leads there: orders are compared with each other, not one
/// that was found before with the plain one.
LaunchShape in_order_of(const LaunchShape& other, const LaunchShape& shape, const ShapeStages& stages) {
  LaunchShape wanted = shape;
  wanted.columns = other.columns;
  if (shape.columns != 1 || (other.columns == 1 && !other.keep_links)) return shape;
  const std::vector<LaunchShape> orders = stages(1, shape);
  for (const bool keep_links : {other.keep_links, false}) {
    wanted.keep_links = keep_links;
    if (std::find(orders.begin(), orders.end(), wanted) != orders.end()) return wanted;
  }
  return shape;
}

}  // namespace

bool is_among(const LaunchShape& shape, const std::vector<LaunchShape>& shapes, const ShapeStages& stages) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const LaunchShape& other) { return leads_to(shape, other, stages, 1); });
}

Trials::Trials(const LaunchShape& first, const std::vector<LaunchShape>& shapes, const ShapeStages& stages,
               bool partitioned)
    : partitioned_(partitioned), fastest_(first), first_seconds_(never) {
  begin_stage(shapes, stages);
}

Trials::Form Trials::form(const LaunchShape& shape) const {
  const bool one = shape.threads_per_site == 1;
  if (!on_device) return {0, false, one, shape.halo_first, 0, 0, false};
  if (!partitioned_) return {shape.right_hand_sides, shape.keep_links, one, shape.halo_first, 0, 0, false};
  return {shape.right_hand_sides, shape.keep_links, one, shape.halo_first, shape.sites, shape.columns, shape.box};
}

void Trials::begin_stage(const std::vector<LaunchShape>& shapes, const ShapeStages& stages) {
  candidates_ = {{fastest_, never}};
  for (const LaunchShape& of_stage : shapes) {
    const LaunchShape shape = stage_ == 0 ? in_order_of(fastest_, of_stage, stages) : of_stage;
    if (shape != fastest_) candidates_.push_back({shape, never});
  }
  if (candidates_.size() == 1) return begin_next_stage(stages);
  is_last_round_ = false;
  begin_round();
}

void Trials::begin_next_stage(const ShapeStages& stages) {
  const std::vector<LaunchShape> shapes = stages(++stage_, fastest_);
  over_ = shapes.empty();
  if (!over_) begin_stage(shapes, stages);
}

void Trials::begin_round() {
  round_.clear();
  made_ = 0;
  for (int n = 0; n < (is_last_round_ ? repeats : 1); ++n) {
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (warm_.insert(form(candidates_[c].shape)).second) round_.push_back({.candidate = c, .counts = false});
      round_.push_back({.candidate = c});
    }
  }
}

bool Trials::may_decide(bool ahead) const {
  return made_ == round_.size() && (ahead || launches_ >= last_trial_ + launches_behind);
}

double Trials::decide(const Communicator& communicator, const ShapeStages& stages) {
  std::vector<double> seconds(candidates_.size(), never);
  double all = 0.0;
  for (const Launch& launch : round_) {
    const double time = launch.timer->seconds();
    if (launch.counts) seconds[launch.candidate] = std::min(seconds[launch.candidate], time);
    if (std::isfinite(time)) all += time;
  }
  if (communicator.size() > 1) communicator.maximum(seconds);
  for (std::size_t c = 0; c < seconds.size(); ++c) candidates_[c].seconds = seconds[c];
  const Candidate first = candidates_.front();
  const auto is_faster = [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; };
  const Candidate best = *std::min_element(candidates_.begin(), candidates_.end(), is_faster);
  const double cost =
      std::isfinite(best.seconds) ? std::max(0.0, all - best.seconds * static_cast<double>(round_.size())) : 0.0;
  if (!is_last_round_) {
    std::stable_sort(candidates_.begin() + 1, candidates_.end(), is_faster);
    std::erase_if(candidates_, [&](const Candidate& other) {
      return other.shape != first.shape && !(other.seconds < far_behind * first.seconds);
    });
    if (candidates_.size() > most_repeated) candidates_.resize(most_repeated);
    is_last_round_ = true;
    if (candidates_.size() > 1) {
      begin_round();
      return cost;
    }
  } else if (best.seconds < gain * first.seconds) {
    fastest_ = best.shape;
    ratio_ *= best.seconds / first.seconds;
  }
  if (!std::isfinite(first_seconds_)) first_seconds_ = first.seconds;
  begin_next_stage(stages);
  return cost;
}

Tuner::Turn Trials::next(const Execution& execution, bool ahead) {
  ++launches_;
  const bool is_trial = ahead || (launches_ > waits_ && launches_ % launches_per_trial == 0);
  if (made_ == round_.size() || !is_trial) return {fastest_, nullptr};
  Launch& launch = round_[made_++];
  last_trial_ = launches_;
  launch.timer = std::make_shared<LaunchTimer>(execution);
  return {candidates_[launch.candidate].shape, launch.timer};
}

}  // namespace kaon::detail
