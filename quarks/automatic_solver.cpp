// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/automatic_solver.hpp"

#include "solvers/contract/solve_report.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kaon::detail {
namespace {

constexpr const char* faster = "multigrid is predicted to be faster than the iterations that remain: it is made now";
constexpr const char* paid = "iterations have cost as much as the setup of multigrid, which is made now";
constexpr const char* hopeless = "iterations are predicted not to converge within their bound: multigrid is made now";
constexpr const char* failed = "iterations have failed: multigrid is made now";

/// Bound of the iterations that are counted.
constexpr double most_lost = 1e9;
/// Times that differ by less are not recorded again.
constexpr double least_change = 0.1;
/// Forecasts of many iterations are right within this factor.
constexpr double forecast_error = 2.0;
/// The convergence with which a solve by multigrid costs `MultigridPrice::iterations_of_solve`.
constexpr double usual_convergence = 0.4;
/// Multigrid is used if it is predicted to take at most that many times the time of the iterations.
constexpr double still_used = 2.0;
/// With this convergence multigrid does not reach 1e-10 within 500 iterations.
constexpr double useless_convergence = 0.96;
/// Multigrid may use half of the bound on iterations. It does not converge within a smaller bound than this.
constexpr int fewest_for_multigrid = 100;
/// A precision that fails with a larger part of the orders of magnitude left is skipped by later solves.
constexpr double small_part = 0.25;
/// A recorded time above the usual price may be due to other programs. It is believed when so many runs confirm it.
constexpr int runs_to_believe = 2;

bool differ(double a, double b) { return std::abs(a - b) > least_change * std::max(a, b); }

/// Returns the smaller time, where 0 means that a time is not known. Other programs only make times longer.
double least_time(double a, double b) { return a > 0.0 && b > 0.0 ? std::min(a, b) : std::max(a, b); }

/// Returns the targets of |b - M x| / |b|, 0 for a right-hand side that is not active.
template <class T>
std::vector<double> relative_targets(const SpinorField<T>& b, double tolerance, const SolveRequest& request) {
  std::vector<double> targets(static_cast<std::size_t>(b.right_hand_sides()), tolerance);
  if (!request.residual_norms.empty()) {
    const blas::Reals norm2 = blas::norm2(b);
    for (std::size_t k = 0; k < targets.size(); ++k) {
      targets[k] = norm2[k] > 0.0 ? request.residual_norms[k] / std::sqrt(norm2[k]) : 0.0;
    }
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!request.is_active(k)) targets[k] = 0.0;
  }
  return targets;
}

std::vector<double> true_residuals(const SolveResult& result) {
  std::vector<double> residuals;
  for (const SolveResult::RightHandSide& r : result.right_hand_sides) residuals.push_back(r.true_residual);
  return residuals;
}

bool has_stagnated(const SolveResult& result) {
  return std::ranges::any_of(result.right_hand_sides, [](const auto& r) { return r.status == SolveStatus::stagnated; });
}

}  // namespace

MultigridPrice usual_price(KrylovMethod method, const Lattice& lattice, int n) {
  if (method == KrylovMethod::cg) {
    return on_device ? price_in_cg : MultigridPrice{.iterations_of_setup = 14000, .iterations_of_solve = 275};
  }
  if (!on_device) return {.iterations_of_setup = 1600, .iterations_of_solve = 90};
  // A setup has many short kernels: on a small lattice they cost more than their work.
  const double short_kernels = 3.3e8 / static_cast<double>(lattice.local_volume());
  return {.iterations_of_setup = static_cast<int>(std::min(6000.0, 1900.0 + short_kernels)),
          .iterations_of_solve = n < 4 ? 200 : 100};
}

double slowest_convergence(const MultigridPrice& price, double iterations, double part_left) {
  const double solves =
      still_used * iterations / (price.iterations_of_solve * part_left);  // in that time, by multigrid
  return solves > 0.0 ? std::pow(usual_convergence, 1.0 / solves) : 0.0;
}

Leave leave(const MultigridPrice& price, const Outlook& outlook) {
  const double left = outlook.allowed - outlook.done;
  const double remaining = std::min(outlook.needed - outlook.done, left);
  const double gain =
      outlook.right_hand_sides * (outlook.cost * remaining - price.iterations_of_solve * outlook.part_left);
  const double error = outlook.is_recorded ? 1.0 : forecast_error;
  const bool is_hopeless = outlook.needed - outlook.done > error * left && outlook.allowed >= fewest_for_multigrid;
  const bool is_too_long = outlook.is_changed && !outlook.is_recorded;
  const bool is_faster = gain + outlook.lost >= (is_too_long ? forecast_error : 1.0) * price.iterations_of_setup;
  if (is_too_long && !is_faster) return {};
  if (is_hopeless) return {is_faster ? faster : hopeless, useless_convergence};
  if (!is_faster) return {};
  // Multigrid serves later solves, too.
  const double worst = std::max(slowest_convergence(price, outlook.cost * outlook.needed),
                                slowest_convergence(price, outlook.cost * remaining, outlook.part_left));
  return {faster, worst, outlook.cost * outlook.needed};
}

bool Leave::was_wrong(const SolveResult& result) const {
  return std::ranges::any_of(result.right_hand_sides,
                             [&](const auto& r) { return r.fallbacks > 0 && r.iterations >= iterations; });
}

Leave leave_after_failure(int allowed) {
  return {.reason = allowed >= fewest_for_multigrid ? failed : nullptr, .worst_convergence = useless_convergence};
}

void resume(SolveResult& result) {
  result.stopped = false;
  for (SolveResult::RightHandSide& r : result.right_hand_sides) {
    if (r.status == SolveStatus::stopped) r.status = SolveStatus::max_iterations;
  }
}

template <class T>
AutomaticSolver<T>::AutomaticSolver(Methods methods, int max_iterations, const FallbackParameters& fallback)
    : methods_(std::move(methods)),
      max_iterations_(max_iterations),
      fallback_(fallback),
      krylov_(methods_.krylov.size()) {
  (void)krylov(0);  // what it refuses is refused at once
  methods_.series->possible = methods_.series->possible || methods_.series->lost >= 0;
}

template <class T>
SolveResult AutomaticSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const int n = std::max(1, b.right_hand_sides());
  if (!multigrid_ && methods_.series->possible) {
    const double last = known(n).last_cost;
    const double expected = std::max(0.0, last - price(n).iterations_of_solve);  // as in the last solve
    if (methods_.series->lost + n * expected >= price(n).iterations_of_setup) {
      build({paid, slowest_convergence(price(n), last), last}, n);
    }
  }
  if (multigrid_) return by_multigrid({}, x, b, request, 1.0);
  const SolveRequest whole = request.bounded(static_cast<std::size_t>(n), max_iterations_);
  const std::size_t last = krylov_.size() - 1;
  SolveResult total;
  SolveRequest rest = whole;
  Timed timed{.skipped = skipped(n)};
  for (std::size_t i = timed.skipped;;) {
    SolveRequest now = rest;
    for (int& bound : now.iterations) {
      if (i < last) bound = (bound + 1) / 2;  // the rest is for the next precision
    }
    const Watched watched = watch(i, total, x, b, now, std::ranges::max(rest.iterations));
    total.append(watched.result, now);
    const Leave leave = after(i, watched, total, std::ranges::max(whole.iterations), timed);
    const bool builds = leave.reason != nullptr;
    if (total.converged() || total.stopped || (i == last && !builds)) return total;
    const bool fails = watched.leave.reason == nullptr;
    FallbackParameters change = fallback_;
    if (!fails) change.on_fallback = [](const std::string&) {};
    rest = *taken_over(total, whole, change, this->lattice());
    if (builds && build(leave, n)) {
      rest.iterations = request.iterations;  // those of multigrid are others
      total.append(by_multigrid(total, x, b, rest, watched.forecast.part_left()), rest);
      return total;
    }
    if (!fails || i == last) continue;
    ++i;
    if (watched.forecast.part_left_at(true_residuals(watched.result)) > small_part) {
      timed = Timed{.cost = timed.cost, .early_fall = timed.early_fall, .skipped = i};
    }
  }
}

template <class T>
Leave AutomaticSolver<T>::after(std::size_t i, const Watched& watched, const SolveResult& total, int allowed,
                                Timed& timed) const {
  const int n = static_cast<int>(total.right_hand_sides.size());
  const int iterations = watched.result.iterations();
  const double cost = methods_.krylov[i].cost * iterations, needed = timed.iterations + watched.forecast.needed();
  if (timed.cost == 0.0) timed.early_fall = watched.forecast.early_fall();
  timed.iterations += iterations;
  timed.seconds += watched.seconds;
  timed.cost += cost;
  if (watched.leave.reason != nullptr) {
    record_forecast(n, timed, needed);
    return watched.leave;
  }
  add_loss(n, cost);
  if (total.converged()) {
    known(n).last_cost = timed.cost;
    record(n, timed, timed.iterations);
    return {};
  }
  if (total.stopped) return {};
  // The next precision starts with an empty Krylov space, so that it needs as many iterations as this one.
  const bool is_hopeless = has_stagnated(watched.result) && watched.forecast.needed() > allowed - total.iterations();
  const bool fails = i + 1 == krylov_.size() || is_hopeless;
  if (fails) record(n, timed, forecast_error * allowed);
  if (!methods_.series->possible) return {};
  if (methods_.series->lost >= price(n).iterations_of_setup) return {paid, useless_convergence};
  return fails ? leave_after_failure(allowed) : Leave{};
}

template <class T>
auto AutomaticSolver<T>::watch(std::size_t i, const SolveResult& total, SpinorField<T>& x, const SpinorField<T>& b,
                               const SolveRequest& request, int allowed) const -> Watched {
  Watched watched{{}, Forecast(relative_targets(b, tolerance(), request))};
  const int n = std::max(1, b.right_hand_sides());
  const MultigridPrice of_multigrid = price(n);
  const SolveRecord& of_record = known(n).record;
  const std::size_t first = skipped(n);
  bool fits = false, user_stops = false;
  const auto decision = [&] {
    const Forecast& forecast = watched.forecast;
    const int done = forecast.iterations();
    if (done == early_iterations) fits = i == first && of_record.fits(forecast.early_fall());
    const bool is_recorded = fits && done < wrong_record * of_record.iterations;
    return leave(of_multigrid, {.right_hand_sides = n,
                                .done = done,
                                .needed = is_recorded ? of_record.iterations : forecast.needed(),
                                .is_recorded = is_recorded,
                                .allowed = allowed,
                                .part_left = forecast.part_left(),
                                .lost = methods_.series->lost,
                                .cost = methods_.krylov[i].cost,
                                .is_changed = i > 0});
  };
  SolveRequest watching = request;
  if (methods_.series->possible) {
    watching.progress = [&](int iteration, std::span<const double> residuals) {
      watched.forecast.see(residuals);
      if (request.progress) user_stops = !request.progress.report(iteration, request.progress.of_whole(residuals));
      if (watched.forecast.iterations() % agreement_interval == 0) watched.leave = decision();
      return !user_stops && watched.leave.reason == nullptr;
    };
  }
  SolveResult& result = watched.result;
  const double before = seconds();
  result = go_on(total, krylov(i), x, b, watching);
  watched.seconds = seconds() - before;
  if (result.stopped && methods_.series->possible && !this->lattice().communicator().any(user_stops)) resume(result);
  if (result.stopped || result.converged()) watched.leave = {};
  return watched;
}

template <class T>
SolveResult AutomaticSolver<T>::by_multigrid(const SolveResult& total, SpinorField<T>& x, const SpinorField<T>& b,
                                             const SolveRequest& request, double part_left) const {
  constexpr double enough = 0.3;  // to extrapolate the time of a whole solve
  const double before = seconds();
  SolveResult result = go_on<T>(total, **multigrid_, x, b, request);
  const int n = std::max(1, b.right_hand_sides());
  if (leave_.was_wrong(result)) {
    give_up(n, not_converged);
    return result;
  }
  if (result.converged() && part_left > enough) {
    SolveRecord found = known(n).record;
    found.by_multigrid = least_time(found.by_multigrid, (seconds() - before) / part_left);
    remember(n, found);
  }
  return result;
}

template <class T>
void AutomaticSolver<T>::record(int n, const Timed& timed, double needed) const {
  if (timed.iterations < early_iterations) return;
  SolveRecord found = known(n).record;
  const int skipped = static_cast<int>(timed.skipped);
  const double before = found.skipped == skipped ? found.per_iteration : 0.0;
  found.iterations = needed;
  found.per_iteration = least_time(before, timed.seconds / timed.iterations);
  found.skipped = skipped;
  found.early_fall = timed.early_fall;
  remember(n, found);
}

template <class T>
void AutomaticSolver<T>::record_forecast(int n, const Timed& timed, double needed) const {
  const SolveRecord& of_record = known(n).record;
  // A record that fits has chosen early, and is better than a forecast of fewer iterations.
  const bool is_better = of_record.fits(timed.early_fall) && needed < of_record.iterations;
  record(n, timed, is_better ? of_record.iterations : needed);
}

template <class T>
void AutomaticSolver<T>::remember(int n, const SolveRecord& record) const {
  if (!methods_.recall) return;
  SolveRecord found = record;
  this->lattice().communicator().broadcast(&found, sizeof found);  // clocks of processes differ
  SolveRecord& old = known(n).record;
  const bool changed = differ(found.iterations, old.iterations) || differ(found.per_iteration, old.per_iteration) ||
                       differ(found.setup, old.setup) || differ(found.by_multigrid, old.by_multigrid) ||
                       found.early_fall != old.early_fall || found.skipped != old.skipped ||
                       std::min(found.setups, runs_to_believe) > old.setups;
  old = found;
  if (changed) methods_.remember(n, found);
}

template <class T>
KnownCosts& AutomaticSolver<T>::known(int n) const {
  KnownCosts& of_n = methods_.series->known[n];
  if (methods_.recall && !std::exchange(of_n.is_recorded, true)) of_n.record = methods_.recall(n);
  return of_n;
}

template <class T>
std::size_t AutomaticSolver<T>::skipped(int n) const {
  return std::min(static_cast<std::size_t>(known(n).record.skipped), krylov_.size() - 1);
}

template <class T>
MultigridPrice AutomaticSolver<T>::price(int n) const {
  const MultigridPrice usual = methods_.price(n);
  const SolveRecord& record = known(n).record;
  const auto price_of = [&](double seconds, int usual_price) {
    if (record.per_iteration == 0.0 || seconds == 0.0) return usual_price;
    const double most = record.setups < runs_to_believe ? usual_price : std::numeric_limits<int>::max();
    return static_cast<int>(std::min(seconds * methods_.krylov[skipped(n)].cost / record.per_iteration, most));
  };
  return {.iterations_of_setup = price_of(n * record.setup, usual.iterations_of_setup),
          .iterations_of_solve = price_of(record.by_multigrid, usual.iterations_of_solve)};
}

template <class T>
const Solver<T>& AutomaticSolver<T>::krylov(std::size_t i) const {
  if (!krylov_[i]) krylov_[i] = methods_.krylov[i].make();
  return **krylov_[i];
}

template <class T>
bool AutomaticSolver<T>::build(const Leave& leave, int n) const {
  tell_fallback(fallback_, this->lattice(), leave.reason);
  const double before = seconds();
  SolveRecord found = known(n).record;
  try {
    multigrid_ = methods_.multigrid(leave.worst_convergence);
    leave_ = leave;
  } catch (const Error& error) {  // on all processes
    const bool is_slow = dynamic_cast<const SolveError*>(&error) != nullptr;
    give_up(n, fmt::format("multigrid is not possible here, and iterations go on without: {}", error.what()),
            is_slow ? setups_between_tries : std::numeric_limits<double>::infinity());
    if (!is_slow || std::isinf(leave.iterations)) return false;
    const double least = still_used * leave.iterations * found.per_iteration;  // a solve by it would take longer
    found.by_multigrid = std::max(found.by_multigrid, least);
  }
  found.setup = least_time(found.setup, seconds() - before);
  ++found.setups;
  remember(n, found);
  return multigrid_.has_value();
}

template <class T>
void AutomaticSolver<T>::add_loss(int n, double iterations) const {
  int& lost = methods_.series->lost;
  const double more = static_cast<double>(n) * std::max(0.0, iterations - price(n).iterations_of_solve);
  lost = static_cast<int>(std::min(lost + more, most_lost));
}

template <class T>
void AutomaticSolver<T>::give_up(int n, const std::string& why, double setups) const {
  multigrid_.reset();
  if (methods_.drop_multigrid) methods_.drop_multigrid();
  methods_.series->possible = false;
  methods_.series->lost = static_cast<int>(std::max(-most_lost, -setups * price(n).iterations_of_setup));
  tell_fallback(fallback_, this->lattice(), why);
}

template class AutomaticSolver<double>;
template class AutomaticSolver<float>;

}  // namespace kaon::detail
