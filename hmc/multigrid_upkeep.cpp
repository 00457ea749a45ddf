// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/multigrid_upkeep.hpp"

#include <algorithm>

namespace kaon::detail {

void MultigridUpkeep::Period::add(double seconds_of_solve, double orders_of_solve, double avoidable) {
  best = std::min(best, seconds_of_solve / orders_of_solve);
  wasted += avoidable - best * orders_of_solve;
  seconds += seconds_of_solve;
  orders += orders_of_solve;
}

double MultigridUpkeep::rate_with() const {
  if (needs_rebuild()) return since_rebuild_.rate(rebuild_);
  return since_refresh_.rate(needs_setup() ? refresh_.value_or(0.0) : 0.0);
}

bool MultigridUpkeep::loses() const {
  if (!(since_refresh_.orders > 0.0)) return false;
  if (!rate_without_) return needs_setup() || since_rebuild_.seconds > rebuild_;
  if (since_trial_ > seconds_between_trials * trial_) return true;
  if (needs_setup()) return rate_with() > *rate_without_;
  return since_refresh_.seconds - *rate_without_ * since_refresh_.orders > refresh_.value_or(rebuild_);
}

bool MultigridUpkeep::returns() const {
  const bool is_trial = left_->changes_of_links == 1;
  return left_->excess > (is_trial ? 0.0 : rebuild_) ||
         left_->seconds > seconds_between_trials * (rebuild_ + since_refresh_.seconds);
}

Upkeep MultigridUpkeep::next() const {
  if (left_ ? !returns() : may_leave_ && loses()) return Upkeep::leave;
  if (needs_rebuild() || (left_ && left_->changes_of_links > 1)) return Upkeep::rebuild;
  return needs_setup() ? Upkeep::refresh : Upkeep::keep;
}

void MultigridUpkeep::add_setup(Upkeep kind, double seconds) {
  if (kind == Upkeep::leave) {
    if (!left_) left_.emplace();
    ++left_->changes_of_links;
    return;
  }
  if (left_) {
    if (left_->orders > 0.0) rate_without_ = left_->seconds / left_->orders;
    trial_ = left_->seconds;
    since_trial_ = 0.0;
    left_.reset();
  }
  if (kind == Upkeep::keep) return;
  since_trial_ += seconds;
  since_refresh_ = {};
  if (kind == Upkeep::refresh) {
    refresh_ = seconds;
    since_rebuild_.seconds += seconds;
  } else {
    rebuild_ = seconds;
    since_rebuild_ = {};
  }
}

void MultigridUpkeep::add_solve(double seconds, double orders) {
  if (!(orders > 0.0)) return;
  if (left_) {
    left_->seconds += seconds;
    left_->orders += orders;
    left_->excess = std::max(0.0, left_->excess + seconds - rate_with() * orders);
    return;
  }
  since_trial_ += seconds;
  since_refresh_.add(seconds, orders, seconds);
  since_rebuild_.add(seconds, orders, since_refresh_.best * orders);
}

}  // namespace kaon::detail
