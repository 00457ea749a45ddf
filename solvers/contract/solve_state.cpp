// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/solve_state.hpp"

#include <algorithm>
#include <utility>

namespace kaon::detail {
namespace {

/// Iterations in 16 bits after which y goes into x. Steps that are added to y are rounded to parts of y, which should
/// not be much larger than they are.
constexpr int collection_interval = 16;

std::vector<RightHandSide> right_hand_sides_of(const Targets& targets, const SolveRequest& request,
                                               int max_iterations) {
  std::vector<RightHandSide> sides(targets.active.size());
  for (std::size_t k = 0; k < sides.size(); ++k) {
    sides[k].source_norm = targets.source_norm[k];
    sides[k].residual_norm = targets.residual_norm[k];
    sides[k].wanted = sides[k].active = targets.active[k];
    sides[k].allowed_iterations = request.allowed(k, max_iterations);
    if (!sides[k].active) sides[k].result.status = SolveStatus::converged;
  }
  return sides;
}

}  // namespace

template <class T, class S>
SolveState<T, S>::SolveState(const LinearOperator<T>& matrix, SpinorField<T>& x, const SpinorField<T>& b,
                             const SolverParameters& parameters, const SolveRequest& request, const Targets& targets)
    : matrix_(matrix),
      x_(x),
      b_(b),
      max_restarts_(parameters.max_restarts),
      y_(b.lattice(), b.parameters(), mixed ? 1 : 0),
      best_(targets),
      sides_(right_hand_sides_of(targets, request, parameters.max_iterations)),
      updates_(sides_.size(), parameters, mixed),
      report_(request),
      reals_(static_cast<double>(b.lattice().volume()) * (b.subset() == Subset::full ? 1.0 : 0.5) * 2.0 *
             static_cast<double>(b.parameters().components_of_all_slices())),
      kernels_apply_functions_(kernels_apply_functions(b.lattice(), b.right_hand_sides())) {}

template <class T, class S>
bool SolveState<T, S>::any_active() const {
  return std::ranges::any_of(sides_, [](const RightHandSide& side) { return side.active; });
}

template <class T, class S>
bool SolveState<T, S>::any_restart() const {
  return std::ranges::any_of(sides_, [](const RightHandSide& side) { return side.restart; });
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
  if constexpr (mixed) {
    SpinorField<T> exact = residual_field().range(first, r.right_hand_sides());
    const blas::Reals norm2 = exact_residual(exact, first);
    blas::copy(r, exact);
    return norm2;
  } else {
    return exact_residual(r, first);
  }
}

template <class T, class S>
blas::Reals SolveState<T, S>::exact_residual(SpinorField<T>& r, int first) {
  const int count = r.right_hand_sides();
  SpinorField<T> x = x_.range(first, count);
  const SpinorField<T> b = b_.range(first, count);
  count_flops(count * flops_of(matrix_));
  if constexpr (mixed) collect(first, count);
  matrix_.apply(r, x);
  blas::Reals norm2 = blas::xmy_norm2(r, b);
  keep_best(first, norm2);
  return norm2;
}

template <class T, class S>
SpinorField<T>& SolveState<T, S>::residual_field() {
  if (!residual_) residual_.emplace(b_.lattice(), b_.parameters(), 1);
  return (*residual_)[0];
}

template <class T, class S>
void SolveState<T, S>::keep_best(int first, const blas::Reals& norm2) {
  std::vector<bool> wanted;
  for (const RightHandSide& side : sides_) wanted.push_back(side.wanted);
  best_.see(x_, first, norms(norm2), wanted);
}

template <class T, class S>
void SolveState<T, S>::begin(std::span<const double> norm2) {
  for (std::size_t k = 0; k < size(); ++k) {
    RightHandSide& side = sides_[k];
    const double norm = std::sqrt(norm2[k]);
    side.set_iterated_norm(norm);
    side.first_norm = std::min(side.source_norm, norm);
    best_.begin(k, norm);
    updates_.begin(k, norm);
    if (replaces_) side.last_true_norm = norm;
    if (!side.active) continue;
    if (!is_finite(norm2[k])) side.stop(SolveStatus::not_a_number);
    if (norm <= side.goal()) side.stop(SolveStatus::converged);
    if (side.active && side.out_of_iterations()) side.stop(SolveStatus::max_iterations);
  }
}

template <class T, class S>
bool SolveState<T, S>::update_due(const blas::Reals& norm2) {
  discard_not_finite(norm2);
  return updates_.is_due(sides_, norms(norm2));
}

template <class T, class S>
bool SolveState<T, S>::can_run_ahead() const {
  return kernels_apply_functions_ && !updates_.is_expected(sides_);
}

template <class T, class S>
bool SolveState<T, S>::expects_another() const {
  for (std::size_t k = 0; k < size(); ++k) {
    const RightHandSide& side = sides_[k];
    const bool last = side.result.iterations + 1 >= side.allowed_iterations;
    if (side.runs() && !last && (replaces_ || updates_.expected_norm(k, side) > side.goal())) return true;
  }
  return false;
}

template <class T, class S>
void SolveState<T, S>::defer_update(const blas::Reals& norm2) {
  discard_not_finite(norm2);
  if (!updates_.defer(sides_, norms(norm2))) return;
  // Another iteration would divide by zero where S can do no better.
  for (std::size_t k = 0; k < size(); ++k) {
    if (active(k) && norm2[k] == 0.0) sides_[k].restart = true;
  }
}

template <class T, class S>
void SolveState<T, S>::take_update(blas::Reals true_norm2, blas::Reals& norm2) {
  using Outcome = ReliableUpdates::Outcome;
  const blas::Reals iterated = std::exchange(norm2, std::move(true_norm2));
  ++report_.reliable_updates;
  updates_.begin_update();
  for (std::size_t k = 0; k < size(); ++k) {
    RightHandSide& side = sides_[k];
    const double norm = std::sqrt(norm2[k]);
    if (!side.active || !is_finite(norm)) continue;  // `record` handles NaN
    const Outcome outcome = updates_.take(k, side, norm, std::sqrt(iterated[k]));
    if (outcome == Outcome::stagnated) {
      side.set_iterated_norm(norm);
      side.stop(SolveStatus::stagnated);
    } else if (outcome == Outcome::diverged) {
      best_.restore(x_, k);
      side.restart = true;
    }
  }
}

template <class T, class S>
void SolveState<T, S>::take_true_residual(std::span<const double> norm2) {
  for (std::size_t k = 0; k < size(); ++k) {
    RightHandSide& side = sides_[k];
    if (!side.active) continue;
    const double norm = std::sqrt(norm2[k]);
    const bool ran_away = norm > 2.0 * side.iterated_norm();
    side.set_iterated_norm(norm);
    if (!is_finite(norm2[k])) {
      side.stop(SolveStatus::not_a_number);
    } else if (norm <= side.residual_norm) {
      side.stop(SolveStatus::converged);
    } else if (ran_away && norm > 0.5 * side.last_taken_norm) {
      side.stop(SolveStatus::stagnated);
    }
    side.last_taken_norm = norm;
  }
}

template <class T, class S>
void SolveState<T, S>::record(std::span<const double> norm2) {
  std::vector<double> relative(size());
  for (std::size_t k = 0; k < size(); ++k) {
    RightHandSide& side = sides_[k];
    if (side.active) {
      const double norm = std::sqrt(norm2[k]);
      ++side.result.iterations;
      updates_.record(k, side, norm);
      side.set_iterated_norm(norm);
      if (!is_finite(norm2[k])) {
        discard(k, {});
      } else if (norm <= side.goal() && (!replaces_ || updates_.updated())) {
        side.stop(SolveStatus::converged);  // where residuals are replaced only after an update
      } else if (side.out_of_iterations()) {
        side.stop(SolveStatus::max_iterations);
      } else if (replaces_ && updates_.updated() && updates_.waits_too_long(k, side)) {
        side.stop(SolveStatus::stagnated);
      }
    }
    relative[k] = side.result.iterated_residual;
  }
  if constexpr (mixed && std::is_same_v<S, half>) {
    if ((report_.iterations + 1) % collection_interval == 0) {
      collect(0, b_.right_hand_sides());
      count_blas(1);
    }
  }
  if (!report_.goes_on(matrix_.lattice(), relative)) stop_all();
}

template <class T, class S>
void SolveState<T, S>::stop_all() {
  for (RightHandSide& side : sides_) {
    if (side.active) side.stop(SolveStatus::stopped);
  }
}

template <class T, class S>
void SolveState<T, S>::interrupt() {
  if (!report_.goes_on(matrix_.lattice())) stop_all();
}

template <class T, class S>
void SolveState<T, S>::break_down(std::size_t k) {
  if (sides_[k].result.restarts >= max_restarts_) {
    stop(k, SolveStatus::breakdown);
  } else {
    sides_[k].restart = true;
  }
}

template <class T, class S>
void SolveState<T, S>::discard(std::size_t k, std::initializer_list<SpinorField<S>*> fields) {
  if (active(k)) stop(k, SolveStatus::not_a_number);
  for (SpinorField<S>* field : fields) blas::set_zero(field->right_hand_side(k));
  if constexpr (mixed) {
    // A NaN that steps in S have made must not be added to x; what they collected before it is lost with it.
    SpinorField<S> part = y_[0].right_hand_side(k);
    if (!is_finite(blas::norm2(part)[0])) blas::set_zero(part);
  }
}

template <class T, class S>
void SolveState<T, S>::discard_not_finite(std::span<const double> norm2) {
  for (std::size_t k = 0; k < size(); ++k) {
    if (active(k) && !is_finite(norm2[k])) discard(k, {});
  }
}

template <class T, class S>
bool SolveState<T, S>::check_true_residuals(SpinorField<S>& r) {
  interrupt();
  const blas::Reals norm2 = residual(r);
  for (std::size_t k = 0; k < size(); ++k) {
    RightHandSide& side = sides_[k];
    SolveStatus& status = side.result.status;
    const double norm = std::sqrt(norm2[k]);
    side.set_true_norm(norm);
    if (!side.wanted) continue;
    if (norm <= side.residual_norm) status = SolveStatus::converged;
    if (status != SolveStatus::converged || norm <= side.residual_norm) continue;
    if (!is_finite(norm)) {
      status = SolveStatus::not_a_number;
      continue;
    }
    // The recurrence ran away from the true residual: restart from that, as long as it helps.
    if (report_.stopped) {
      status = SolveStatus::stopped;
    } else if (norm > 0.5 * side.last_true_norm || side.result.restarts >= max_restarts_) {
      status = SolveStatus::stagnated;
    } else if (side.out_of_iterations()) {
      status = SolveStatus::max_iterations;
    } else {
      side.active = side.restart = true;
    }
    side.last_true_norm = norm;
  }
  return any_restart();
}

template <class T, class S>
void SolveState<T, S>::estimate_error(std::size_t k) {
  SolveResult::RightHandSide& result = sides_[k].result;
  if (lanczos_.empty() && !lowest_) {
    result.error_per_residual = best_.error_per_residual(k);
    result.error_at_least = best_.error_at_least(k);
    return;
  }
  const double lowest = lowest_ ? lowest_of_all_ : lanczos_[k].lowest();  // infinity without iterations
  result.error_per_residual =
      conjugate_of_ == ConjugateOf::normal ? normal_ritz_margin / std::sqrt(lowest) : ritz_margin / lowest;
  result.error_at_least = !best_.has_fallen(k);
}

template <class T, class S>
SolveResult SolveState<T, S>::finish() {
  if (lowest_) lowest_of_all_ = lowest_();
  for (std::size_t k = 0; k < size(); ++k) {
    estimate_error(k);
    if (status(k) == SolveStatus::converged) continue;
    best_.restore(x_, k);
    sides_[k].set_true_norm(best_.norm(k));
  }
  matrix_.lattice().execution().fence("kaon::solve");
  return result();
}

template class SolveState<double>;
template class SolveState<float>;
template class SolveState<half>;
template class SolveState<double, float>;
template class SolveState<double, half>;
template class SolveState<float, half>;

}  // namespace kaon::detail
