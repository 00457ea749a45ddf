// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/shifts/multi_shift_recurrence.hpp"

#include "core/blas/fused_updates.hpp"
#include "core/reductions/pending_reductions.hpp"

#include <tuple>
#include <utility>

namespace kaon::detail {
namespace {

/// The request without a receiver.
SolveRequest silent(SolveRequest request) {
  request.progress = {};
  return request;
}

SolverParameters with_tolerance(SolverParameters parameters, double tolerance) {
  parameters.tolerance = tolerance;
  return parameters;
}

}  // namespace

template <class T, class S>
MultiShiftRecurrence<T, S>::MultiShiftRecurrence(const std::vector<Shifted<T>>& systems,
                                                 const std::vector<Shifted<S>>& inner,
                                                 std::span<SpinorField<T>* const> x, const SpinorField<T>& b,
                                                 const std::vector<double>& tolerances,
                                                 const SolverParameters& parameters, const SolveRequest& request)
    : systems_(systems),
      inner_(inner),
      x_(x.begin(), x.end()),
      b_(b),
      tolerances_(tolerances),
      ap_(inner[0].make_field(b.right_hand_sides())),
      running_(systems.size()),
      coefficients_(systems.size(), static_cast<std::size_t>(b.right_hand_sides())),
      lanczos_(static_cast<std::size_t>(b.right_hand_sides())) {
  for (std::size_t s = 0; s < systems.size(); ++s) {
    states_.emplace_back(systems[s], *x[s], b, with_tolerance(parameters, tolerances_[s]),
                         s == 0 ? request : silent(request));
  }
  const std::size_t residuals = systems.size() > 1 ? steps_put_off + 1 : 2;
  for (std::size_t k = 0; k < residuals; ++k) r_.push_back(inner[0].make_field(b.right_hand_sides()));
  blas::copy(r_[0], b);
  r_norm2_ = blas::norm2(r_[0]);
  for (const double norm2 : r_norm2_) b_norm_.push_back(std::sqrt(norm2));
  for (std::size_t s = 0; s < systems.size(); ++s) {
    blas::set_zero(*x[s]);
    p_.push_back(inner[0].make_field(b.right_hand_sides()));
    blas::copy(p_[s], r_[0]);
    states_[s].begin(r_norm2_);
    if constexpr (!mixed) states_[s].skip_update();
  }
  for (std::size_t s = 0; s < systems.size(); ++s) hold(s);
}

template <class T, class S>
MultiShiftRecurrence<T, S>::MultiShiftRecurrence(const std::vector<Shifted<T>>& systems,
                                                 const std::vector<Shifted<S>>& inner,
                                                 const SolverParameters& parameters, const SolveRequest& request,
                                                 MultiShiftRecurrence<T, T>& before) requires(!std::same_as<T, S>)
    : systems_(systems),
      inner_(inner),
      x_(before.x_),
      b_(before.b_),
      tolerances_(before.tolerances_),
      ap_(inner[0].make_field(b_.right_hand_sides())),
      running_(before.running_),
      r_norm2_(before.r_norm2_),
      b_norm_(before.b_norm_),
      coefficients_(before.coefficients_),
      lanczos_(before.lanczos_) {
  if (!before.waiting_.empty()) before.catch_up();
  for (std::size_t k = 0; k < before.r_.size(); ++k) r_.push_back(inner[0].make_field(b_.right_hand_sides()));
  blas::copy(r_[0], before.r_[before.now_]);
  for (std::size_t s = 0; s < systems.size(); ++s) {
    states_.emplace_back(systems[s], *x_[s], b_, with_tolerance(parameters, tolerances_[s]),
                         s == 0 ? request : silent(request));
    p_.push_back(inner[0].make_field(b_.right_hand_sides()));
    blas::copy(p_[s], before.p_[s]);
    for (std::size_t k = 0; k < r_norm2_.size(); ++k) {
      if (states_[s].active(k) && !before.states_[s].active(k)) states_[s].stop(k, before.states_[s].status(k));
    }
  }
  for (std::size_t s = 0; s < systems.size(); ++s) {
    hold(s);
    states_[s].begin(coefficients_.norm2_of(s, r_norm2_));
  }
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::hold(std::size_t s) {
  for (std::size_t k = 0; k < states_[s].size(); ++k) states_[s].hold(k, is_held(s, k));
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::stop(std::size_t k, SolveStatus status) {
  for (SolveState<T, S>& state : states_) {
    if (state.active(k)) state.stop(k, status);
  }
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::discard(std::size_t k) {
  stop(k, SolveStatus::not_a_number);
  base().discard(k, {&ap_});
  for (SpinorField<S>& r : r_) base().discard(k, {&r});
  for (SpinorField<S>& p : p_) base().discard(k, {&p});
}

template <class T, class S>
double MultiShiftRecurrence<T, S>::iterate_alone(std::size_t k, double alpha) {
  const std::size_t next = (now_ + 1) % r_.size();
  SpinorField<S> x_k = base().solution().right_hand_side(k), p_k = p_[0].right_hand_side(k);
  SpinorField<S> r_k = r_[next].right_hand_side(k);
  blas::copy(r_k, r_[now_].right_hand_side(k));
  const blas::Reals norm2 = blas::axpy_norm2(r_k, ap_.right_hand_side(k), -alpha);
  blas::cg_update(x_k, p_k, r_k, host_step({alpha}, norm2, {r_norm2_[k]}));
  base().stop_running_ahead();
  return norm2[0];
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::take(const blas::Products& of_ap, const blas::Scalars& alpha, BaseStep& step) {
  SolveState<T, S>& state = base();
  for (std::size_t k = 0; k < r_norm2_.size(); ++k) {
    const bool ran = state.runs(k);
    if (ran) step.alpha[k] = alpha.has(k) ? alpha(k).real() : alpha_on_host(state, k, alpha_of(k), of_ap);
    if (state.runs(k)) {
      if (!alpha.has(k)) step.norm2[k] = iterate_alone(k, step.alpha[k]);
      continue;
    }
    if (ran && state.status(k) == SolveStatus::not_a_number) discard(k);
    stop(k, state.status(k));  // where it ran, A + sigma_0 is not positive
    step.norm2[k] = r_norm2_[k];
    step.alpha[k] = 0.0;
  }
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::discard_not_finite(BaseStep& step) {
  for (std::size_t k = 0; k < r_norm2_.size(); ++k) {
    if (is_finite(step.norm2[k])) continue;
    discard(k);
    step.norm2[k] = r_norm2_[k];
    step.alpha[k] = 0.0;
  }
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::iterate() {
  SolveState<T, S>& state = base();
  const std::size_t next = (now_ + 1) % r_.size();
  SpinorField<S>&x = state.solution(), &p = p_[0], &r = r_[next];
  const auto alpha_for = [&](std::size_t k) { return alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return ConjugateStep{r_norm2_[k]}; };

  const bool ahead = state.can_run_ahead();
  auto of_ap = inner_[0].apply_and_reduce(ap_, p, {.norm = false, .x = true});  // (A + sigma_0) p_0
  const blas::Scalars alpha = of_ap.scalars(alpha_for, ahead);                  // alpha = |r|^2 / <p_0, A p_0>
  auto of_r = next_residual(r, r_[now_], ap_, -alpha, step_of, alpha);          // r - alpha A p_0, |r|^2
  if (ahead) blas::cg_update(x, p, r, of_r.scalars());                          // x_0 + alpha p_0, r + beta p_0

  const blas::Products& products = of_ap.wait();
  BaseStep step{blas::Reals(r_norm2_.size()), of_r.wait()};
  take(products, alpha, step);
  discard_not_finite(step);
  const bool update = !ahead && state.update_due(step.norm2);
  if (ahead) {
    state.defer_update(step.norm2);
  } else if (update) {
    blas::axpy(x, p, alpha);
    state.reliable_update(r, step.norm2);
    make_orthogonal(p, r, step.norm2);
    blas::xpay(p, r, ratios(step.norm2, r_norm2_));
    discard_not_finite(step);
  } else {
    blas::cg_update(x, p, r, of_r.scalars());
  }
  now_ = next;
  state.count_applications(1);
  state.count_blas(4 + 4 + 4);
  record(step);
  if (waiting_.size() == steps_put_off || update) catch_up();
  if (update) collect();
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::record(const BaseStep& base_step) {
  const auto& [alpha, norm2] = base_step;
  const std::size_t n = norm2.size();
  blas::Reals beta(n);
  for (std::size_t k = 0; k < n; ++k) {
    // After a restart the residuals of several shifts would not be parallel.
    if (base().wants_restart(k)) stop(k, SolveStatus::stagnated);
    if (!base().runs(k)) continue;
    beta[k] = norm2[k] / r_norm2_[k];  // |r|^2 new / old
    lanczos_[k].append(alpha[k], beta[k]);
  }
  ShiftedStep step;
  for (std::size_t s = 0; s < running_; ++s) {
    coefficients_.advance(s, systems_[s].shift() - systems_[0].shift(), alpha, beta, states_[s]);
    if (s == 0) continue;
    step.a.push_back(coefficients_.alpha[s]);
    step.b.push_back(coefficients_.beta[s]);
    step.c.push_back(coefficients_.zeta_of_running[s]);
    states_[s].count_blas(5);
  }
  if (waiting_.empty()) waiting_shifts_ = running_ - 1;
  const blas::Reals nothing(n);
  for (auto* values : {&step.a, &step.b, &step.c}) values->resize(waiting_shifts_, nothing);
  waiting_.push_back(std::move(step));
  for (std::size_t s = running_; s-- > 0;) {
    const blas::Reals of_shift = coefficients_.norm2_of(s, norm2);
    hold(s);
    states_[s].record(of_shift);
    if (s == 0 || !mixed) continue;
    for (std::size_t k = 0; k < n; ++k) {
      // The residual in T is checked after the loop.
      if (states_[s].active(k) && !is_held(s, k) && std::sqrt(of_shift[k]) <= tolerances_[s] * b_norm_[k]) {
        states_[s].stop(k, SolveStatus::converged);
      }
    }
  }
  end_with_base();
  r_norm2_ = norm2;
  std::tie(coefficients_.last_alpha, coefficients_.last_beta) = std::tie(alpha, beta);
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::catch_up() {
  std::vector<SpinorField<S>*> x;
  for (std::size_t s = 1; s <= waiting_shifts_; ++s) x.push_back(&states_[s].solution());
  std::vector<const SpinorField<S>*> residuals;
  for (std::size_t k = waiting_.size(); k-- > 0;) residuals.push_back(&r_[(now_ + r_.size() - k) % r_.size()]);
  multi_shift_cg_steps<S>(x, std::span(p_).subspan(1, waiting_shifts_), residuals, waiting_);
  waiting_.clear();
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::collect() {
  if constexpr (mixed) {
    for (std::size_t s = 1; s < running_; ++s) {
      blas::add(*x_[s], states_[s].solution());
      blas::set_zero(states_[s].solution());
    }
  }
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::run_to(double factor) {
  const auto above = [&] {
    for (std::size_t s = 0; s < running_; ++s) {
      const blas::Reals norm2 = coefficients_.norm2_of(s, r_norm2_);
      for (std::size_t k = 0; k < norm2.size(); ++k) {
        if (states_[s].active(k) && std::sqrt(norm2[k]) > factor * tolerances_[s] * b_norm_[k]) return true;
      }
    }
    return false;
  };
  while (above()) {
    while (running_ > 1 && !states_[running_ - 1].any_active()) --running_;
    iterate();
  }
  base().interrupt();
  end_with_base();
}

template <class T, class S>
void MultiShiftRecurrence<T, S>::end_with_base() {
  for (std::size_t k = 0; k < r_norm2_.size(); ++k) {
    if (!base().active(k)) stop(k, base().status(k));
  }
}

template <class T, class S>
std::vector<SolveResult> MultiShiftRecurrence<T, S>::counts() {
  std::vector<SolveResult> results;
  for (SolveState<T, S>& state : states_) results.push_back(state.result());
  return results;
}

template <class T, class S>
std::vector<SolveResult> MultiShiftRecurrence<T, S>::run() {
  // Larger shifts converge first: those that run are the first ones.
  while (running_ > 0) {
    if (states_[running_ - 1].any_active()) {
      iterate();
    } else {
      --running_;
    }
  }
  if (!waiting_.empty()) catch_up();
  std::vector<SolveResult> results;
  while (!states_.empty()) {  // one by one: each has fields of its own
    states_.front().check_true_residuals(ap_);
    SolveResult& result = results.emplace_back(states_.front().finish());
    const double difference = systems_[results.size() - 1].shift() - systems_[0].shift();
    for (std::size_t k = 0; k < lanczos_.size(); ++k) {
      SolveResult::RightHandSide& side = result.right_hand_sides[k];
      side.error_per_residual = ritz_margin / (lanczos_[k].lowest() + difference);
      side.error_at_least = side.true_residual > settled_part;
    }
    states_.pop_front();
  }
  return results;
}

template class MultiShiftRecurrence<double, double>;
template class MultiShiftRecurrence<float, float>;
template class MultiShiftRecurrence<double, float>;

}  // namespace kaon::detail
