// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/solve_report.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <utility>

namespace kaon {

std::string to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::max_iterations:
      return "ran out of iterations";
    case SolveStatus::stagnated:
      return "stagnated";
    case SolveStatus::breakdown:
      return "broke down";
    case SolveStatus::not_a_number:
      return "met NaN or infinity";
    case SolveStatus::stopped:
      return "was stopped";
  }
  return "?";
}

namespace {

/// The larger residual; a NaN is worse than all.
double worse(double a, double b) { return std::isnan(b) || b > a ? b : a; }

/// Adds what `more` counts for all right-hand sides together.
void add_totals(SolveResult& result, const SolveResult& more) {
  result.stopped = result.stopped || more.stopped;
  result.reliable_updates += more.reliable_updates;
  result.seconds += more.seconds;
  result.flops += more.flops;
}

void add_counts(SolveResult::RightHandSide& side, const SolveResult::RightHandSide& more) {
  side.iterations += more.iterations;
  side.restarts += more.restarts;
  side.fallbacks += more.fallbacks;
}

/// The status of a system from those of its two parts. A part that is out of iterations may need more of them, or
/// another method, even if rounding stops the other part.
SolveStatus graver(SolveStatus one, SolveStatus other) {
  for (const SolveStatus status : {SolveStatus::not_a_number, SolveStatus::breakdown, SolveStatus::stopped,
                                   SolveStatus::max_iterations, SolveStatus::stagnated}) {
    if (one == status || other == status) return status;
  }
  return SolveStatus::converged;
}

}  // namespace

void SolveResult::append(const SolveResult& more, const SolveRequest& request) {
  if (right_hand_sides.empty()) {
    for (const RightHandSide& r : more.right_hand_sides) right_hand_sides.push_back({.status = r.status});
  }
  for (std::size_t k = 0; k < right_hand_sides.size(); ++k) {
    if (!request.is_active(k)) continue;
    RightHandSide last = more.right_hand_sides[k];
    add_counts(last, right_hand_sides[k]);
    // The end of a solve may be too short for an estimate of its own.
    last.error_per_residual = std::max(last.error_per_residual, right_hand_sides[k].error_per_residual);
    last.error_at_least = last.error_at_least && right_hand_sides[k].error_at_least;
    right_hand_sides[k] = last;
  }
  history.insert(history.end(), more.history.begin(), more.history.end());
  add_totals(*this, more);
}

void SolveResult::append_part(const SolveResult& more) {
  for (std::size_t k = 0; k < right_hand_sides.size(); ++k) {
    RightHandSide& r = right_hand_sides[k];
    const RightHandSide& other = more.right_hand_sides[k];
    add_counts(r, other);
    // An estimate of one part says nothing of another, unless that is exact.
    const auto lacks_estimate = [](const RightHandSide& of) { return of.error_at_least && of.true_residual != 0.0; };
    r.error_at_least = lacks_estimate(r) || lacks_estimate(other);
    r.error_per_residual = std::max(r.error_per_residual, other.error_per_residual);
    r.iterated_residual = worse(r.iterated_residual, other.iterated_residual);
    r.true_residual = worse(r.true_residual, other.true_residual);
    r.status = graver(r.status, other.status);
  }
  add_totals(*this, more);
}

void SolveResult::append_right_hand_sides(const SolveResult& more) {
  // The last residuals of right-hand sides that have ended are repeated.
  const auto fill = [](std::vector<std::vector<double>> rows, std::size_t count, std::size_t sides) {
    rows.resize(count, rows.empty() ? std::vector<double>(sides) : rows.back());
    return rows;
  };
  const std::size_t count = std::max(history.size(), more.history.size());
  history = fill(std::move(history), count, right_hand_sides.size());
  const auto other = fill(more.history, count, more.right_hand_sides.size());
  for (std::size_t i = 0; i < count; ++i) history[i].insert(history[i].end(), other[i].begin(), other[i].end());
  right_hand_sides.insert(right_hand_sides.end(), more.right_hand_sides.begin(), more.right_hand_sides.end());
  add_totals(*this, more);
}

bool SolveResult::converged() const {
  return std::all_of(right_hand_sides.begin(), right_hand_sides.end(),
                     [](const RightHandSide& r) { return r.status == SolveStatus::converged; });
}

int SolveResult::iterations() const {
  int most = 0;
  for (const RightHandSide& r : right_hand_sides) most = std::max(most, r.iterations);
  return most;
}

double SolveResult::true_residual() const {
  double largest = 0.0;
  for (const RightHandSide& r : right_hand_sides) largest = worse(largest, r.true_residual);
  return largest;
}

double SolveResult::error() const {
  double largest = 0.0;
  for (const RightHandSide& r : right_hand_sides) {
    if (r.error == 0.0 && r.true_residual > 0.0) return 0.0;
    largest = worse(largest, r.error);
  }
  return largest;
}

void require_converged(const SolveResult& result) {
  if (result.converged()) return;
  std::string failures;
  for (std::size_t k = 0; k < result.right_hand_sides.size(); ++k) {
    const SolveResult::RightHandSide& r = result.right_hand_sides[k];
    if (r.status == SolveStatus::converged) continue;
    failures += fmt::format("; right-hand side {} {} after {} iterations, true residual {:.3e}", k, to_string(r.status),
                            r.iterations, r.true_residual);
  }
  if (result.stopped) throw SolveError("on_iteration ended the solve" + failures);
  const bool not_finite =
      std::any_of(result.right_hand_sides.begin(), result.right_hand_sides.end(),
                  [](const SolveResult::RightHandSide& r) { return r.status == SolveStatus::not_a_number; });
  const char* const advice =
      not_finite
          ? ". Look for NaN, infinity and huge numbers in the links, the masses and the first x"
          : ". Allow more iterations or a larger tolerance, or check that mass and gauge field are what you mean";
  throw SolveError("the solve did not converge" + failures + advice);
}

void detail::require_tolerance(double tolerance) {
  require(tolerance > 0.0 && tolerance < 1.0, [&] {
    return fmt::format("the tolerance {} of a solver does not lie between 0 and 1: it is on |b - M x| / |b|",
                       tolerance);
  });
}

void detail::require_reliable_delta(double delta) {
  require(delta > 0.0 && delta < 1.0, [&] {
    return fmt::format(
        "reliable_delta, the fall of the residual between reliable updates, must lie between 0 and 1, got {}", delta);
  });
}

void detail::require_bounds(const SolverParameters& parameters) {
  require_tolerance(parameters.tolerance);
  const auto at_least = [](int least, int value, const char* name) {
    require(value >= least, [&] { return fmt::format("{} of a solver is {}: give at least {}", name, value, least); });
  };
  at_least(1, parameters.max_iterations, "max_iterations");
  at_least(0, parameters.max_restarts, "max_restarts");
  at_least(1, parameters.max_iterations_without_progress, "max_iterations_without_progress");
}

template <class T>
SolveResult Solver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b) const {
  const detail::SourceLengths lengths = detail::source_lengths(b);
  detail::tell_zeros(b.lattice(), lengths);
  const auto solve_and_estimate = [&](const SpinorField<T>& source) {
    SolveResult result = solve(x, source, {});
    detail::set_errors(result, x, source);
    return result;
  };
  if (lengths.in_range) return solve_and_estimate(b);
  return detail::solve_with_scale(std::span(&x, 1), b, lengths.scale, solve_and_estimate);
}

template <class T>
void Solver<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  blas::set_zero(out);
  solve(out, in, {});
}

template class Solver<double>;
template class Solver<float>;
template class Solver<half>;

namespace {

template <class Value>
std::vector<Value> part_of(const std::vector<Value>& all, int first, int count) {
  if (all.empty()) return {};
  return {all.begin() + first, all.begin() + first + count};
}

}  // namespace

void SolveRequest::require_length(std::size_t n) const {
  const auto check = [n](std::size_t length, const char* name) {
    require(length == 0 || length == n,
            [&] { return fmt::format("{} {} were given for {} right-hand sides", length, name, n); });
  };
  check(residual_norms.size(), "residual norms");
  check(active.size(), "flags of activity");
  check(iterations.size(), "bounds of iterations");
}

SolveRequest SolveRequest::range(int first, int count) const {
  SolveRequest result = *this;
  result.residual_norms = part_of(residual_norms, first, count);
  result.active = part_of(active, first, count);
  result.iterations = part_of(iterations, first, count);
  result.progress = progress.range(first, count);
  return result;
}

SolveRequest SolveRequest::bounded(std::size_t n, int most) const {
  require_length(n);
  SolveRequest result = *this;
  result.iterations.clear();
  for (std::size_t k = 0; k < n; ++k) result.iterations.push_back(allowed(k, most));
  return result;
}

SolveRequest SolveRequest::after(const SolveResult& done) const {
  SolveRequest rest = *this;
  for (std::size_t k = 0; k < rest.iterations.size(); ++k) {
    rest.iterations[k] = std::max(0, rest.iterations[k] - done.right_hand_sides[k].iterations);
  }
  return rest;
}

std::vector<double> Progress::of_whole(std::span<const double> residuals) const {
  std::vector<double> result(residuals.begin(), residuals.end());
  for (const Part& part : parts_ | std::views::reverse) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (!part.active.empty() && !part.active[k]) result[k] = 1.0;
      result[k] = part.norm[k] * (result[k] / part.source_norm[k]);
    }
  }
  return result;
}

Progress Progress::counted() const {
  Progress result = *this;
  if (!count_) result.count_ = std::make_shared<int>(0);
  return result;
}

Progress Progress::narrowed(std::vector<double> norm, std::vector<double> source_norm, std::vector<bool> active) const {
  Progress result = *this;
  result.parts_.push_back({std::move(norm), std::move(source_norm), std::move(active)});
  return result;
}

Progress Progress::range(int first, int count) const {
  Progress result = *this;
  for (Part& part : result.parts_) {
    part.norm = part_of(part.norm, first, count);
    part.source_norm = part_of(part.source_norm, first, count);
    part.active = part_of(part.active, first, count);
  }
  return result;
}

}  // namespace kaon
