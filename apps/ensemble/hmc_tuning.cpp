// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_tuning.hpp"

#include "apps/files/gauge_files.hpp"
#include "core/tuning/phases.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace kaon::apps {
namespace {

constexpr int trajectories_of_round = 10;
constexpr std::size_t most_rounds = 8;
/// No trajectory needs more.
constexpr int most_steps = 100000;
/// Rounds count together if one has at most so many times the steps of the other: dH of steps that are too large does
/// not follow their order.
constexpr double similar = 1.35;
/// Largest factor of steps from round to round.
constexpr double largest_change = 4.0;

/// s of these dH, from <dH^2> = s^2 + s^4/4.
double width_of_changes(const std::vector<double>& changes) {
  double square = 0.0;
  for (const double change : changes) square += change * change / static_cast<double>(changes.size());
  return std::sqrt(2.0 * (std::sqrt(1.0 + square) - 1.0));
}

/// The steps of a time scale for an acceptance: s falls as steps^-order.
class StepTuning {
 public:
  StepTuning(double acceptance, int order, int steps)
      : width_(width_of_acceptance(acceptance)), order_(order), steps_(steps) {}

  /// Steps of the next round, and the result at the end.
  int steps() const { return steps_; }
  bool is_done() const { return is_done_; }

  /// Adds a round with `steps()` whose dH had this width.
  void add(double width) {
    rounds_.push_back({steps_, width * width});
    const double ratio = std::pow(std::sqrt(square_of_width(steps_)) / width_, 1.0 / order_);
    const double wanted = std::ceil(steps_ * std::clamp(ratio, 1.0 / largest_change, largest_change));
    const int next = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(most_steps)));
    is_done_ = rounds_.size() == most_rounds ||
               std::ranges::any_of(rounds_, [&](const Round& round) { return round.steps == next; });
    steps_ = next;
  }
  /// Doubles steps that are too large for a trajectory; returns whether there can be more.
  bool add_failure() {
    if (steps_ == most_steps) return false;
    steps_ = std::min(2 * steps_, most_steps);
    return true;
  }
  /// The acceptance with `steps()`, from all rounds with similar ones.
  double expected_acceptance() const { return acceptance_of_width(std::sqrt(square_of_width(steps_))); }

 private:
  struct Round {
    int steps;
    double square_of_width;
  };

  /// The mean s^2 of rounds with similar steps, or that of the last round, with `steps`.
  double square_of_width(int steps) const {
    const auto scaled = [&](const Round& round) {
      return round.square_of_width * std::pow(static_cast<double>(round.steps) / steps, 2 * order_);
    };
    double sum = 0.0;
    int count = 0;
    for (const Round& round : rounds_) {
      const double ratio = static_cast<double>(round.steps) / steps;
      if (std::max(ratio, 1.0 / ratio) > similar) continue;
      sum += scaled(round);
      ++count;
    }
    return count > 0 ? sum / count : scaled(rounds_.back());
  }

  double width_;
  int order_, steps_;
  bool is_done_ = false;
  std::vector<Round> rounds_;
};

/// "6,4" with another number of steps of the first time scale.
std::string steps_text(std::vector<int> steps, int first) {
  steps[0] = first;
  return fmt::format("{}", fmt::join(steps, ","));
}

}  // namespace

double acceptance_of_width(double width) { return std::erfc(width / (2.0 * std::numbers::sqrt2)); }

double width_of_acceptance(double acceptance) {
  double low = 0.0, high = 100.0;
  constexpr int halvings = 60;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (acceptance_of_width(middle) > acceptance ? low : high) = middle;
  }
  return high;
}

int order_of(const std::vector<TimeScale>& scales) {
  int order = 4;
  for (const TimeScale& scale : scales) order = std::min(order, scheme_of(scale.integrator).order);
  return order;
}

Exit tune_steps(const Session& session, const HmcOptions& options, const HmcPlan& plan) {
  const EnsembleParameters& ensemble = options.run.ensemble;
  const Lattice lattice = make_lattice(session, "--size", ensemble.extents, options.run.input.layout);
  GaugeField<double> links = first_links(session, options.run, lattice);
  std::vector<TimeScale> scales = time_scales(options, plan);
  HybridMonteCarloParameters parameters{.length = options.length, .seed = ensemble.seed, .forecast = options.forecast};
  std::uint32_t number = 0;
  const auto trajectory = [&](int steps) {
    const detail::Phase phase(detail::PhaseName::update);
    scales[0].steps = steps;
    parameters.accept_all = ++number <= static_cast<std::uint32_t>(options.accept_first);
    return HybridMonteCarlo(scales, parameters).trajectory(links, number);
  };
  say(session, "steps of the first time scale for an acceptance of {:.1f} %: rounds of {} trajectories of length {}\n",
      100.0 * *options.tune_steps, trajectories_of_round, options.length);
  say(session, "from a {} start, after {} trajectories to thermalize; no files are written\n\n", ensemble.start,
      ensemble.thermalization);
  for (int n = 0; n < ensemble.thermalization; ++n) trajectory(plan.steps[0]);
  say(session, "{:>12}  {:>11}  {:>10}  {:>10}  {:>10}  {:>9}\n", "steps", "width of dH", "expected %", "accepted %",
      "iterations", "seconds");
  StepTuning tuning(*options.tune_steps, order_of(scales), plan.steps[0]);
  double seconds = 0.0;
  while (!tuning.is_done()) {
    const int steps = tuning.steps();
    std::vector<double> changes;
    int accepted = 0;
    long iterations = 0;
    seconds = 0.0;
    try {
      for (int k = 0; k < trajectories_of_round; ++k) {
        const TrajectoryReport report = trajectory(steps);
        changes.push_back(report.delta_energy);
        accepted += report.accepted ? 1 : 0;
        iterations += report.iterations;
        seconds += report.seconds / trajectories_of_round;
      }
    } catch (const TrajectoryError& error) {
      if (error.failure() != TrajectoryFailure::steps || !tuning.add_failure()) throw;
      say(session, "{:>12}  a trajectory fails\n", steps_text(plan.steps, steps));
      continue;
    }
    const double width = width_of_changes(changes);
    tuning.add(width);
    say(session, "{:>12}  {:>11.4f}  {:>10.1f}  {:>10.1f}  {:>10}  {:>9.3f}\n", steps_text(plan.steps, steps), width,
        100.0 * acceptance_of_width(width), 100.0 * accepted / trajectories_of_round,
        iterations / trajectories_of_round, seconds);
  }
  const double acceptance = tuning.expected_acceptance();
  say(session, "\n--steps {}: an acceptance of {:.1f} % is expected\n", steps_text(plan.steps, tuning.steps()),
      100.0 * acceptance);
  return Exit::success;
}

}  // namespace kaon::apps
