// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/automatic_solver.hpp"

#include "solvers/contract/solve_report.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

constexpr const char* faster = "multigrid is predicted to be faster than the iterations that remain: it is made now";
constexpr const char* paid = "iterations have cost as much as the setup of multigrid, which is made now";
constexpr const char* failed = "iterations have failed in all precisions: multigrid is made now";

/// Times that differ by less are not recorded again.
constexpr double least_change = 0.1;
/// A record has been wrong when a solve takes that many times its iterations.
constexpr double wrong_record = 1.3;

bool differ(double a, double b) { return std::abs(a - b) > least_change * std::max(a, b); }

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

template <class T>
AutomaticSolver<T>::AutomaticSolver(Methods methods, int max_iterations, const FallbackParameters& fallback)
    : methods_(std::move(methods)),
      max_iterations_(max_iterations),
      fallback_(fallback),
      krylov_(methods_.krylov.size()) {
  (void)krylov(0);  // what it refuses is refused at once
}

template <class T>
SolveResult AutomaticSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const int n = std::max(1, b.right_hand_sides());
  if (!multigrid_ && possible_) {
    const int expected = std::max(0, known(n).last_iterations - price(n).iterations_of_solve);  // as in the last solve
    if (lost_ + n * expected >= price(n).iterations_of_setup) build(paid, n);
  }
  if (multigrid_) return by_multigrid({}, x, b, request, 1.0);
  const SolveRequest whole = request.bounded(static_cast<std::size_t>(n), max_iterations_);
  const int allowed = std::ranges::max(whole.iterations);
  SolveResult total;
  SolveRequest rest = whole;
  for (std::size_t i = 0, last = krylov_.size() - 1;;) {
    SolveRequest now = rest;
    for (int& bound : now.iterations) {
      if (i < last) bound = (bound + 1) / 2;  // the rest is for the next precision
    }
    const double before = seconds();
    Watched watched = watch(i, total, x, b, now);
    if (i == 0) record(n, watched, seconds() - before);
    total.append(watched.result, now);
    if (!watched.leaves) lost_ += n * std::max(0, watched.result.iterations() - price(n).iterations_of_solve);
    const bool pays = possible_ && lost_ >= price(n).iterations_of_setup;
    const bool builds = watched.leaves || pays || (possible_ && i == last && allowed >= price(n).iterations_of_setup);
    if (total.converged() || total.stopped || (i == last && !builds)) return total;
    FallbackParameters change = fallback_;
    if (watched.leaves) change.on_fallback = [](const std::string&) {};  // nothing has failed
    rest = *taken_over(total, whole, change, this->lattice());
    if (builds && build(watched.leaves ? faster : pays ? paid : failed, n)) {
      rest.iterations = request.iterations;  // those of multigrid are others
      total.append(by_multigrid(total, x, b, rest, watched.forecast.part_left()), rest);
      return total;
    }
    if (!watched.leaves) i = std::min(i + 1, last);
  }
}

template <class T>
auto AutomaticSolver<T>::watch(std::size_t i, const SolveResult& total, SpinorField<T>& x, const SpinorField<T>& b,
                               const SolveRequest& request) const -> Watched {
  Watched watched{{}, Forecast(relative_targets(b, tolerance(), request)), false};
  const int n = std::max(1, b.right_hand_sides());
  const MultigridPrice of_multigrid = price(n);
  const SolveRecord& of_record = known(n).record;
  const int allowed = std::ranges::max(request.iterations);
  bool fits = false, user_stops = false;
  const auto pays = [&] {
    const Forecast& forecast = watched.forecast;
    const double done = forecast.iterations();
    if (done == early_iterations) fits = i == 0 && of_record.fits(forecast.early_fall());
    const double needed = fits && done < wrong_record * of_record.iterations ? of_record.iterations : forecast.needed();
    const double remaining = std::min<double>(needed, allowed) - done;
    const double gain = n * (remaining - of_multigrid.iterations_of_solve * forecast.part_left());
    return gain + lost_ >= of_multigrid.iterations_of_setup;
  };
  SolveRequest watching = request;
  if (possible_) {
    watching.progress = [&](int iteration, std::span<const double> residuals) {
      watched.forecast.see(residuals);
      if (request.progress) user_stops = !request.progress.report(iteration, request.progress.of_whole(residuals));
      if (watched.forecast.iterations() % agreement_interval == 0) watched.leaves = pays();
      return !user_stops && !watched.leaves;
    };
  }
  SolveResult& result = watched.result;
  result = go_on(total, krylov(i), x, b, watching);
  if (result.stopped && possible_ && !this->lattice().communicator().any(user_stops)) {
    result.stopped = false;
    for (SolveResult::RightHandSide& r : result.right_hand_sides) {
      if (r.status == SolveStatus::stopped) r.status = SolveStatus::max_iterations;
    }
  }
  watched.leaves = watched.leaves && !result.stopped && !result.converged();
  return watched;
}

template <class T>
SolveResult AutomaticSolver<T>::by_multigrid(const SolveResult& total, SpinorField<T>& x, const SpinorField<T>& b,
                                             const SolveRequest& request, double part_left) const {
  constexpr double enough = 0.3;  // to extrapolate the time of a whole solve
  const double before = seconds();
  SolveResult result = go_on<T>(total, **multigrid_, x, b, request);
  const int n = std::max(1, b.right_hand_sides());
  if (result.converged() && part_left > enough) {
    SolveRecord found = known(n).record;
    found.by_multigrid = (seconds() - before) / part_left;
    remember(n, found);
  }
  return result;
}

template <class T>
void AutomaticSolver<T>::record(int n, const Watched& watched, double seconds) const {
  Known& of_n = known(n);
  const int iterations = watched.result.iterations();
  const bool converged = watched.result.converged();
  if (converged) of_n.last_iterations = iterations;
  if (iterations < early_iterations || !(converged || watched.leaves)) return;
  SolveRecord found = of_n.record;
  const double needed = converged ? iterations : watched.forecast.needed(), per_iteration = seconds / iterations;
  if (watched.leaves && found.fits(watched.forecast.early_fall()) && needed < found.iterations) {
    // The record chose, early. Its time of an iteration was measured beside other programs if this one is smaller.
    found.per_iteration = std::min(found.per_iteration, per_iteration);
  } else if (needed > 0.0 && std::isfinite(needed)) {
    found.iterations = needed;
    found.per_iteration = per_iteration;
    found.early_fall = watched.forecast.early_fall();
  }
  remember(n, found);
}

template <class T>
void AutomaticSolver<T>::remember(int n, const SolveRecord& record) const {
  if (!methods_.recall) return;
  SolveRecord found = record;
  this->lattice().communicator().broadcast(&found, sizeof found);  // clocks of processes differ
  SolveRecord& old = known(n).record;
  const bool changed = differ(found.iterations, old.iterations) || differ(found.per_iteration, old.per_iteration) ||
                       differ(found.setup, old.setup) || differ(found.by_multigrid, old.by_multigrid) ||
                       found.early_fall != old.early_fall;
  old = found;
  if (changed) methods_.remember(n, found);
}

template <class T>
auto AutomaticSolver<T>::known(int n) const -> Known& {
  Known& of_n = known_[n];
  if (methods_.recall && !std::exchange(of_n.is_recorded, true)) of_n.record = methods_.recall(n);
  return of_n;
}

template <class T>
MultigridPrice AutomaticSolver<T>::price(int n) const {
  MultigridPrice result = methods_.price(n);
  const SolveRecord& record = known(n).record;
  if (record.per_iteration == 0.0) return result;
  if (record.setup > 0.0) result.iterations_of_setup = static_cast<int>(n * record.setup / record.per_iteration);
  if (record.by_multigrid > 0.0)
    result.iterations_of_solve = static_cast<int>(record.by_multigrid / record.per_iteration);
  return result;
}

template <class T>
const Solver<T>& AutomaticSolver<T>::krylov(std::size_t i) const {
  if (!krylov_[i]) krylov_[i] = methods_.krylov[i]();
  return **krylov_[i];
}

template <class T>
bool AutomaticSolver<T>::build(const char* why, int n) const {
  tell_fallback(fallback_, this->lattice(), why);
  const double before = seconds();
  try {
    multigrid_ = methods_.multigrid();
  } catch (const Error& error) {  // on all processes
    possible_ = false;
    tell_fallback(fallback_, this->lattice(),
                  fmt::format("multigrid is not possible here, and iterations go on without: {}", error.what()));
    return false;
  }
  SolveRecord found = known(n).record;
  found.setup = seconds() - before;
  remember(n, found);
  return true;
}

template class AutomaticSolver<double>;
template class AutomaticSolver<float>;

}  // namespace kaon::detail
