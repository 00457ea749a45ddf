// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include "solvers/source_scale.hpp"

#include "core/fields/not_finite.hpp"
#include "core/fields/overlap.hpp"
#include "core/lattice/agreement.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace kaon::detail {

template <class T>
blas::Reals finite_norm2(const SpinorField<T>& b) {
  blas::Reals norm2 = blas::norm2(b);
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    require(is_finite(norm2[k]), [&] {
      return fmt::format("right-hand side {} holds NaN or infinity {}", k, place_of_not_finite(b, static_cast<int>(k)));
    });
  }
  if constexpr (std::is_same_v<T, double>) {
    const bool small = std::ranges::any_of(norm2, [](double value) { return value < least_norm2; });
    require(
        !small || source_lengths(b).in_range,
        "a right-hand side is shorter than 1e-140, and double does not hold the squares of its residuals: multiply it "
        "and its solution by a number");
  }
  return norm2;
}

template <class T>
Targets make_targets(SpinorField<T>& x, const SpinorField<T>& b, double tolerance, const SolveRequest& request) {
  require(x.parameters() == b.parameters() && x.lattice() == b.lattice(),
          "x and b of a solve must have the same lattice, sites, spins, colours and right-hand sides");
  require(!overlap(x, b), "x and b of a solve must be two fields: b is needed to the end");
  request.require_length(static_cast<std::size_t>(b.right_hand_sides()));
  for (std::size_t k = 0; k < request.residual_norms.size(); ++k) {
    require(request.residual_norms[k] >= 0.0, [&] {
      return fmt::format("the residual norm {} of right-hand side {} cannot be reached: give a number from 0 on",
                         request.residual_norms[k], k);
    });
  }
  Targets targets;
  const blas::Reals norm2 = finite_norm2(b);
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    const double norm = std::sqrt(norm2[k]);
    targets.active.push_back(request.is_active(k));
    if (norm == 0.0 && targets.active[k]) {
      SpinorField<T> x_k = x.right_hand_side(k);
      blas::set_zero(x_k);
    }
    targets.source_norm.push_back(norm == 0.0 ? 1.0 : norm);
    targets.residual_norm.push_back(request.residual_norms.empty() ? tolerance * norm : request.residual_norms[k]);
  }
  return targets;
}

bool goes_on(const Lattice& lattice, const OnIteration& on_iteration, int iteration,
             std::span<const double> residuals) {
  return !lattice.communicator().any(!on_iteration(iteration, residuals));
}

void require_same_receivers(const Lattice& lattice, const OnIteration& on_iteration) {
  require_same(lattice.communicator(), "solvers", on_iteration ? "with on_iteration" : "without on_iteration");
}

namespace {

/// Reliable updates in a row that may fail to lower the true residual. (Three were too few for BiCGstab in 16 bits,
/// which they stopped at 1.2e-13 two iterations before it reached 1e-13.)
constexpr int most_failed_updates = 6;
/// A residual that has fallen by this factor beyond delta is updated whatever the other right-hand sides do.
constexpr double far_below = 0.1;
/// Where the true residual is that many times the iterated one, the search directions are worth nothing any more.
constexpr double diverged_factor = 10.0;
/// Iterations in 16 bits after which y goes into x. Steps that are added to y are rounded to parts of y, which should
/// not be much larger than they are.
constexpr int collection_interval = 16;

}  // namespace

template <class T, class S>
SolveState<T, S>::SolveState(const LinearOperator<T>& matrix, SpinorField<T>& x, const SpinorField<T>& b,
                             const SolverParameters& parameters, const SolveRequest& request, Targets targets)
    : matrix_(matrix),
      x_(x),
      b_(b),
      parameters_(parameters),
      y_(b.lattice(), b.parameters(), mixed ? 1 : 0),
      targets_(std::move(targets)) {
  const std::size_t count = targets_.source_norm.size();
  active_ = targets_.active;
  restart_.assign(count, false);
  kernels_apply_functions_ = kernels_apply_functions(b.lattice(), b.right_hand_sides());
  last_true_norm_.assign(count, std::numeric_limits<double>::infinity());
  largest_norm_.assign(count, 0.0);
  last_update_.assign(count, 0);
  failed_updates_.assign(count, 0);
  due_.assign(count, false);
  reduction_.assign(count, 0.0);
  last_taken_norm_ = last_true_norm_;
  known_norm_ = best_norm_ = targets_.source_norm;
  zero_is_best_.assign(count, true);
  result_.right_hand_sides.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    allowed_iterations_.push_back(request.allowed(k, parameters.max_iterations));
    if (!active_[k]) result_.right_hand_sides[k].status = SolveStatus::converged;
  }
  reals_ = static_cast<double>(b.lattice().volume()) * (b.subset() == Subset::full ? 1.0 : 0.5) * 2.0 *
           static_cast<double>(b.parameters().components_of_all_slices());
}

template <class T, class S>
bool SolveState<T, S>::any_active() const {
  return std::find(active_.begin(), active_.end(), true) != active_.end();
}

template <class T, class S>
bool SolveState<T, S>::any_restart() const {
  return std::find(restart_.begin(), restart_.end(), true) != restart_.end();
}

template <class T, class S>
void SolveState<T, S>::collect(int first, int count) {
  SpinorField<T> x = x_.range(first, count);
  SpinorField<S> y = y_[0].range(first, count);
  blas::add(x, y);
  blas::set_zero(y);
}

template <class T, class S>
blas::Reals SolveState<T, S>::residual(SpinorField<S>& r, int first) {
  const int count = r.right_hand_sides();
  SpinorField<T> x = x_.range(first, count);
  const SpinorField<T> b = b_.range(first, count);
  flops_ += count * matrix_.flops();
  if constexpr (mixed) {
    if (!residual_) residual_.emplace(b_.lattice(), b_.parameters(), 1);
    SpinorField<T> exact = (*residual_)[0].range(first, count);
    collect(first, count);
    matrix_.apply(exact, x);
    blas::Reals norm2 = blas::xmy_norm2(exact, b);
    blas::copy(r, exact);
    keep_best(x, first, norm2);
    return norm2;
  } else {
    matrix_.apply(r, x);
    blas::Reals norm2 = blas::xmy_norm2(r, b);
    keep_best(x, first, norm2);
    return norm2;
  }
}

template <class T, class S>
void SolveState<T, S>::keep_best(const SpinorField<T>& x, int first, std::span<const double> norm2) {
  std::vector<std::size_t> better;
  bool none_is_worse = true;
  for (std::size_t j = 0; j < norm2.size(); ++j) {
    const std::size_t k = static_cast<std::size_t>(first) + j;
    const double norm = known_norm_[k] = std::sqrt(norm2[j]);
    if (!(norm <= best_norm_[k])) none_is_worse = false;
    if (!active_[k] || !(norm < best_norm_[k]) || norm <= targets_.residual_norm[k]) continue;
    better.push_back(k);
    best_norm_[k] = norm;
    zero_is_best_[k] = false;
  }
  if (better.empty()) return;
  if (!best_) best_.emplace(b_.lattice(), b_.parameters(), 1);
  if (none_is_worse) {
    SpinorField<T> best = (*best_)[0].range(first, x.right_hand_sides());
    return blas::copy(best, x);
  }
  for (const std::size_t k : better) {
    SpinorField<T> best = (*best_)[0].right_hand_side(k);
    blas::copy(best, x_.right_hand_side(k));
  }
}

template <class T, class S>
void SolveState<T, S>::return_to_best(std::size_t k) {
  if (known_norm_[k] <= best_norm_[k]) return;
  SpinorField<T> x = x_.right_hand_side(k);
  if (zero_is_best_[k]) {
    blas::set_zero(x);
  } else {
    blas::copy(x, (*best_)[0].right_hand_side(k));
  }
  known_norm_[k] = best_norm_[k];
}

template <class T, class S>
void SolveState<T, S>::begin(std::span<const double> norm2) {
  for (std::size_t k = 0; k < size(); ++k) {
    const double norm = std::sqrt(norm2[k]);
    result_.right_hand_sides[k].iterated_residual = norm / targets_.source_norm[k];
    largest_norm_[k] = norm;
    if (mixed) last_true_norm_[k] = norm;
    if (!active_[k]) continue;
    if (!is_finite(norm2[k])) stop(k, SolveStatus::not_a_number);
    if (norm <= targets_.residual_norm[k]) stop(k, SolveStatus::converged);
    if (active_[k] && out_of_iterations(k)) stop(k, SolveStatus::max_iterations);
  }
}

template <class T, class S>
template <class NormOf>
bool SolveState<T, S>::is_due(const NormOf& norm_of, std::vector<bool>& due) const {
  // An update costs the same for one right-hand side as for all: wait until it is worth while.
  std::size_t running = 0, count = 0;
  bool overdue = false;
  for (std::size_t k = 0; k < size(); ++k) {
    due[k] = false;
    if (!active_[k] || restart_[k]) continue;
    const double norm = norm_of(k);
    const double limit = std::max(parameters_.reliable_delta * largest_norm_[k], targets_.residual_norm[k]);
    const bool too_long = waiting(k) >= parameters_.max_iterations_without_progress;
    due[k] = norm <= limit || too_long;
    overdue = overdue || norm <= far_below * limit || too_long;
    ++running;
    count += due[k] ? 1 : 0;
  }
  return overdue || (count > 0 && 2 * count >= running);
}

template <class T, class S>
bool SolveState<T, S>::update_due(std::span<const double> norm2) {
  if constexpr (!mixed) return false;
  updated_ = false;
  for (std::size_t k = 0; k < size(); ++k) {
    if (active_[k] && !is_finite(norm2[k])) discard(k, {});
    if (active_[k] && !restart_[k]) largest_norm_[k] = std::max(largest_norm_[k], std::sqrt(norm2[k]));
  }
  std::vector<bool> due(size());
  const bool now = is_due([&](std::size_t k) { return std::sqrt(norm2[k]); }, due);
  for (std::size_t k = 0; k < size(); ++k) due_[k] = due[k] || (due_[k] && update_pending_);
  return now || update_pending_;
}

template <class T, class S>
bool SolveState<T, S>::can_run_ahead() const {
  if (!kernels_apply_functions_) return false;
  if constexpr (!mixed) return true;
  if (update_pending_) return false;
  std::vector<bool> due(size());
  const auto next_norm = [&](std::size_t k) {
    return reduction_[k] * result_.right_hand_sides[k].iterated_residual * targets_.source_norm[k];
  };
  return !is_due(next_norm, due);
}

template <class T, class S>
void SolveState<T, S>::defer_update(std::span<const double> norm2) {
  update_pending_ = update_due(norm2);
  if (!update_pending_) return;
  // Another iteration would divide by zero where S can do no better.
  for (std::size_t k = 0; k < size(); ++k) {
    if (active_[k] && norm2[k] == 0.0) restart_[k] = true;
  }
}

template <class T, class S>
void SolveState<T, S>::reliable_update(SpinorField<S>& r, blas::Reals& norm2) {
  const blas::Reals expected = std::exchange(norm2, residual(r));
  ++result_.reliable_updates;
  updated_ = true;
  update_pending_ = false;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!active_[k]) continue;
    const double norm = std::sqrt(norm2[k]);
    if (!is_finite(norm)) continue;  // `record` sees to it
    const bool useful = norm < 0.9 * last_true_norm_[k];
    // An update that another right-hand side asked for proves nothing about this one.
    if (useful || due_[k]) failed_updates_[k] = useful ? 0 : failed_updates_[k] + 1;
    if (norm > targets_.residual_norm[k]) {
      if (failed_updates_[k] >= most_failed_updates) {
        result_.right_hand_sides[k].iterated_residual = norm / targets_.source_norm[k];
        stop(k, SolveStatus::stagnated);
      } else if (norm > diverged_factor * std::sqrt(expected[k])) {
        return_to_best(k);
        restart_[k] = true;
      }
    }
    if (useful) {
      last_true_norm_[k] = norm;
      last_update_[k] = result_.right_hand_sides[k].iterations;
    }
    largest_norm_[k] = norm;
  }
}

template <class T, class S>
void SolveState<T, S>::take_true_residual(std::span<const double> norm2) {
  for (std::size_t k = 0; k < size(); ++k) {
    if (!active_[k]) continue;
    double& iterated = result_.right_hand_sides[k].iterated_residual;
    const double norm = std::sqrt(norm2[k]);
    const bool ran_away = norm > 2.0 * iterated * targets_.source_norm[k];
    iterated = norm / targets_.source_norm[k];
    if (!is_finite(norm2[k])) {
      stop(k, SolveStatus::not_a_number);
    } else if (norm <= targets_.residual_norm[k]) {
      stop(k, SolveStatus::converged);
    } else if (ran_away && norm > 0.5 * last_taken_norm_[k]) {
      stop(k, SolveStatus::stagnated);
    }
    last_taken_norm_[k] = norm;
  }
}

template <class T, class S>
void SolveState<T, S>::record(std::span<const double> norm2) {
  ++iteration_;
  std::vector<double> relative(size());
  for (std::size_t k = 0; k < size(); ++k) {
    auto& r = result_.right_hand_sides[k];
    if (active_[k]) {
      ++r.iterations;
      const double norm = std::sqrt(norm2[k]);
      if (!updated_) reduction_[k] = std::min(1.0, norm / (r.iterated_residual * targets_.source_norm[k]));
      r.iterated_residual = norm / targets_.source_norm[k];
      if (!is_finite(norm2[k])) {
        discard(k, {});
      } else if (norm <= targets_.residual_norm[k] && (!mixed || updated_)) {
        stop(k, SolveStatus::converged);  // in mixed precision the truth must say so
      } else if (out_of_iterations(k)) {
        stop(k, SolveStatus::max_iterations);
      } else if (mixed && updated_ && waiting(k) >= parameters_.max_iterations_without_progress) {
        stop(k, SolveStatus::stagnated);
      }
    }
    relative[k] = r.iterated_residual;
  }
  if constexpr (mixed && std::is_same_v<S, half>) {
    if (iteration_ % collection_interval == 0) {
      collect(0, b_.right_hand_sides());
      count_blas(1);
    }
  }
  if (parameters_.keep_history) result_.history.push_back(relative);
  if (!parameters_.on_iteration || goes_on(matrix_.lattice(), parameters_.on_iteration, iteration_, relative)) return;
  result_.stopped = true;
  for (std::size_t k = 0; k < size(); ++k) {
    if (active_[k]) stop(k, SolveStatus::stopped);
  }
}

template <class T, class S>
void SolveState<T, S>::stop(std::size_t k, SolveStatus status) {
  active_[k] = false;
  restart_[k] = false;
  result_.right_hand_sides[k].status = status;
}

template <class T, class S>
void SolveState<T, S>::break_down(std::size_t k) {
  if (result_.right_hand_sides[k].restarts >= parameters_.max_restarts) {
    stop(k, SolveStatus::breakdown);
  } else {
    restart_[k] = true;
  }
}

template <class T, class S>
void SolveState<T, S>::discard(std::size_t k, std::initializer_list<SpinorField<S>*> fields) {
  if (active_[k]) stop(k, SolveStatus::not_a_number);
  for (SpinorField<S>* field : fields) {
    SpinorField<S> one = field->right_hand_side(k);
    blas::set_zero(one);
  }
  if constexpr (mixed) {
    // A NaN that steps in S have made must not be added to x; what they collected before it is lost with it.
    SpinorField<S> part = y_[0].right_hand_side(k);
    if (!is_finite(blas::norm2(part)[0])) blas::set_zero(part);
  }
}

template <class T, class S>
bool SolveState<T, S>::check_true_residuals(SpinorField<S>& r) {
  const blas::Reals norm2 = residual(r);
  for (std::size_t k = 0; k < size(); ++k) {
    auto& result = result_.right_hand_sides[k];
    const double norm = std::sqrt(norm2[k]);
    result.true_residual = norm / targets_.source_norm[k];
    if (!targets_.active[k]) continue;
    if (norm <= targets_.residual_norm[k]) result.status = SolveStatus::converged;
    if (result.status != SolveStatus::converged || norm <= targets_.residual_norm[k]) continue;
    if (!is_finite(norm)) {
      result.status = SolveStatus::not_a_number;
      continue;
    }
    // The recurrence ran away from the truth: go on from the truth, as long as that helps.
    if (result_.stopped) {
      result.status = SolveStatus::stopped;
    } else if (norm > 0.5 * last_true_norm_[k] || result.restarts >= parameters_.max_restarts) {
      result.status = SolveStatus::stagnated;
    } else if (out_of_iterations(k)) {
      result.status = SolveStatus::max_iterations;
    } else {
      active_[k] = true;
      restart_[k] = true;
    }
    last_true_norm_[k] = norm;
  }
  return any_restart();
}

template <class T, class S>
SolveResult SolveState<T, S>::finish() {
  for (std::size_t k = 0; k < size(); ++k) {
    auto& result = result_.right_hand_sides[k];
    if (result.status == SolveStatus::converged) continue;
    return_to_best(k);
    result.true_residual = known_norm_[k] / targets_.source_norm[k];
  }
  matrix_.lattice().execution().fence("kaon::solve");
  result_.seconds = timer_.seconds();
  result_.flops = flops_;
  return std::move(result_);
}

template blas::Reals finite_norm2(const SpinorField<double>&);
template blas::Reals finite_norm2(const SpinorField<float>&);
template blas::Reals finite_norm2(const SpinorField<half>&);
template Targets make_targets(SpinorField<double>&, const SpinorField<double>&, double, const SolveRequest&);
template Targets make_targets(SpinorField<float>&, const SpinorField<float>&, double, const SolveRequest&);
template Targets make_targets(SpinorField<half>&, const SpinorField<half>&, double, const SolveRequest&);
template class SolveState<double>;
template class SolveState<float>;
template class SolveState<half>;
template class SolveState<double, float>;
template class SolveState<double, half>;
template class SolveState<float, half>;

}  // namespace kaon::detail
