// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/reliable_updates.hpp"

#include <algorithm>

namespace kaon::detail {
namespace {

/// Updates in a row that may fail to lower the true residual. (Three were too few for BiCGstab in 16 bits, which they
/// stopped at 1.2e-13 two iterations before it reached 1e-13.)
constexpr int most_failed_updates = 6;
/// An update that leaves less than this part of the true residual is useful.
constexpr double useful_fall = 0.9;
/// A residual that has fallen by this factor beyond delta is updated regardless of the other right-hand sides.
constexpr double far_below = 0.1;
/// If the true residual is that many times the iterated one, the search directions are useless.
constexpr double diverged_factor = 10.0;

}  // namespace

ReliableUpdates::ReliableUpdates(std::size_t right_hand_sides, const SolverParameters& parameters, bool mixed)
    : delta_(parameters.reliable_delta),
      mixed_(mixed),
      max_iterations_without_progress_(parameters.max_iterations_without_progress),
      numbers_(right_hand_sides) {}

template <class NormOf>
bool ReliableUpdates::is_due(std::span<const RightHandSide> sides, const NormOf& norm_of,
                             std::vector<bool>& due) const {
  // An update costs the same for one right-hand side as for all: wait until it is worth while.
  std::size_t running = 0, count = 0;
  bool overdue = false;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    due[k] = false;
    if (!sides[k].runs()) continue;
    const double norm = norm_of(k);
    const bool too_long = mixed_ && waits_too_long(k, sides[k]);
    due[k] = norm <= limit(k, sides[k]) || too_long;
    overdue = overdue || norm <= far_below * limit(k, sides[k]) || too_long;
    ++running;
    count += due[k] ? 1 : 0;
  }
  return overdue || (count > 0 && 2 * count >= running);
}

double ReliableUpdates::limit(std::size_t k, const RightHandSide& side) const {
  if (mixed_) return std::max(delta_ * numbers_[k].largest_norm, side.goal());
  return numbers_[k].updated ? 0.0 : side.near_target();
}

bool ReliableUpdates::is_due(std::span<const RightHandSide> sides, std::span<const double> norm) {
  updated_ = false;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (sides[k].runs()) numbers_[k].largest_norm = std::max(numbers_[k].largest_norm, norm[k]);
  }
  std::vector<bool> due(sides.size());
  const bool now = is_due(
      sides, [&](std::size_t k) { return norm[k]; }, due);
  for (std::size_t k = 0; k < sides.size(); ++k) numbers_[k].due = due[k] || (numbers_[k].due && pending_);
  return now || pending_;
}

bool ReliableUpdates::defer(std::span<const RightHandSide> sides, std::span<const double> norm) {
  return pending_ = is_due(sides, norm);
}

bool ReliableUpdates::is_expected(std::span<const RightHandSide> sides) const {
  if (pending_) return true;
  std::vector<bool> due(sides.size());
  return is_due(
      sides, [&](std::size_t k) { return expected_norm(k, sides[k]); }, due);
}

void ReliableUpdates::begin_update() {
  updated_ = true;
  pending_ = false;
}

ReliableUpdates::Outcome ReliableUpdates::take(std::size_t k, RightHandSide& side, double norm, double iterated_norm) {
  Numbers& numbers = numbers_[k];
  Outcome outcome = Outcome::goes_on;
  const bool useful = norm < useful_fall * side.last_true_norm;
  // An update that was due for another right-hand side proves nothing about this one.
  if (useful || numbers.due) numbers.failed_updates = useful ? 0 : numbers.failed_updates + 1;
  if (norm > side.residual_norm) {
    if (numbers.failed_updates >= most_failed_updates) {
      outcome = Outcome::stagnated;
    } else if (norm > diverged_factor * iterated_norm) {
      outcome = Outcome::diverged;
    }
  }
  if (useful) {
    side.last_true_norm = norm;
    numbers.last_update = side.result.iterations;
  }
  numbers.largest_norm = norm;
  numbers.updated = numbers.updated || numbers.due;
  return outcome;
}

void ReliableUpdates::record(std::size_t k, const RightHandSide& side, double norm) {
  if (!updated_) numbers_[k].reduction = std::min(1.0, norm / side.iterated_norm());
}

bool ReliableUpdates::waits_too_long(std::size_t k, const RightHandSide& side) const {
  return side.result.iterations - numbers_[k].last_update >= max_iterations_without_progress_;
}

}  // namespace kaon::detail
