// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/source_scale.hpp"
#include "solvers/shifts/multi_shift_recurrence.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace kaon {
namespace {

/// Relative residual below which shifted residuals in S lose proportionality to that of the smallest shift: 1e-7 to
/// 8e-7 after 20 to 240 iterations in single, where this is 8e-6.
template <class S>
constexpr double rounding_of_sweep = 64.0 * std::numeric_limits<S>::epsilon();

/// The numbers of the shifts from the smallest to the largest. Throws `Error` without shifts, and for a shift that is
/// negative or not a number.
std::vector<std::size_t> order_of_shifts(const std::vector<double>& shifts) {
  require(!shifts.empty(), "a multi-shift solver needs at least one shift");
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    require(shifts[s] >= 0.0 && std::isfinite(shifts[s]), [&] {
      return fmt::format(
          "shift {} is {}: it must be a number that is not negative, or A + sigma need not be positive: shift the "
          "operator first",
          s, shifts[s]);
    });
  }
  std::vector<std::size_t> order(shifts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shifts[a] < shifts[b]; });
  return order;
}

/// The tolerances of the shifts from the smallest to the largest, or `tolerance` for each where `tolerances` is empty.
/// Throws `Error` where the number of tolerances is not that of the shifts, and for a tolerance not between 0 and 1.
std::vector<double> ordered_tolerances(const std::vector<double>& tolerances, double tolerance,
                                       const std::vector<std::size_t>& order) {
  require(tolerances.empty() || tolerances.size() == order.size(),
          [&] { return fmt::format("{} tolerances were given for {} shifts", tolerances.size(), order.size()); });
  std::vector<double> ordered;
  for (const std::size_t s : order) {
    ordered.push_back(tolerances.empty() ? tolerance : tolerances[s]);
    detail::require_tolerance(ordered.back());
  }
  return ordered;
}

/// Throws `Error` for a request that names residual norms or activity of right-hand sides.
void require_no_targets(const SolveRequest& request) {
  require(request.residual_norms.empty() && request.active.empty(),
          "a multi-shift solver works for all right-hand sides, to its tolerance: a request can name iterations, "
          "on_iteration and keep_history alone");
}

/// The iterations of a sweep: those of `request`, `most` at most.
int iterations_of_sweep(const SolveRequest& request, int most) {
  for (const int bound : request.iterations) most = std::min(most, bound);
  return std::max(1, most);
}

/// A request for the right-hand sides that rounding has stopped, with the iterations that are left.
SolveRequest restart_request(const SolveResult& result, const SolveRequest& request) {
  SolveRequest rest = request.after(result);
  rest.active.clear();
  for (const auto& r : result.right_hand_sides) rest.active.push_back(r.status == SolveStatus::stagnated);
  return rest;
}

bool any_stagnated(const SolveResult& result) {
  return std::ranges::any_of(result.right_hand_sides, [](const auto& r) { return r.status == SolveStatus::stagnated; });
}

/// The request with at most `most` iterations of each shift, numbered through the sweep and the solves after it.
SolveRequest counted(const SolveRequest& request, std::size_t right_hand_sides, int most) {
  SolveRequest counting = request.bounded(right_hand_sides, most);
  counting.progress = request.progress.counted();
  return counting;
}

/// Restarts, after a sweep, each shift that rounding has stopped, by `solve_alone(s, request)`, until the receiver ends
/// the solve. If `possible` is false, no shift restarts.
template <class SolveAlone>
void restart_stagnated(std::span<SolveResult> swept, const SolveRequest& request, bool possible,
                       const SolveAlone& solve_alone) {
  bool stopped = std::ranges::any_of(swept, &SolveResult::stopped);
  for (std::size_t s = 0; s < swept.size(); ++s) {
    SolveResult& result = swept[s];
    if (possible && !stopped && any_stagnated(result)) {
      const SolveRequest rest = restart_request(result, request);
      result.append(solve_alone(s, rest), rest);
    }
    stopped = stopped || result.stopped;
    for (auto& r : result.right_hand_sides) {
      if (stopped && r.status == SolveStatus::stagnated) r.status = SolveStatus::stopped;  // no restart follows
    }
    result.stopped = stopped;
  }
}

}  // namespace

template <class T, class S, class R>
MultiShiftCg<T, S, R>::MultiShiftCg(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner_matrix,
                                    Ref<LinearOperator<R>> refining_matrix, std::vector<double> shifts,
                                    const MultiShiftParameters& parameters)
    : shifts_(std::move(shifts)),
      order_(order_of_shifts(shifts_)),
      tolerances_(ordered_tolerances(parameters.tolerances, parameters.tolerance, order_)),
      parameters_(parameters) {
  require(matrix->domain() == inner_matrix->domain() && matrix->domain() == refining_matrix->domain(),
          "the operators in the two precisions act on fields of two shapes");
  detail::require_bounds(of_refinement(0));
  detail::require_tolerance(parameters.inner_tolerance);
  detail::require_reliable_delta(parameters.reliable_delta);
  for (const std::size_t s : order_) {
    systems_.emplace_back(matrix, shifts_[s]);
    inner_systems_.emplace_back(inner_matrix, shifts_[s]);
    refining_systems_.emplace_back(refining_matrix, shifts_[s]);
  }
}

template <class T, class S, class R>
std::vector<SolveResult> MultiShiftCg<T, S, R>::sweep(std::span<SpinorField<T>> x, const SpinorField<T>& b,
                                                      const SolveRequest& request) const {
  SolverParameters parameters{.max_iterations = iterations_of_sweep(request, parameters_.max_iterations),
                              .max_restarts = 0,
                              .reliable_delta = parameters_.reliable_delta};
  std::vector<SpinorField<T>*> ordered;
  for (const std::size_t s : order_) ordered.push_back(&x[s]);
  if constexpr (mixed) {
    if (parameters_.sweep == ShiftSweep::falling) {
      std::optional<detail::MultiShiftRecurrence<T, T>> outer(std::in_place, systems_, systems_, ordered, b,
                                                              tolerances_, parameters, request);
      outer->run_to(1.0 / rounding_of_sweep<S>);
      std::vector<SolveResult> results = outer->counts();
      // Iterations are counted through. If none are left, all shifts have stopped.
      const int before = results.front().iterations();
      parameters.max_iterations = std::max(1, parameters.max_iterations - before);
      detail::MultiShiftRecurrence<T, S> inner(systems_, inner_systems_, parameters, request, *outer);
      outer.reset();  // and its fields
      std::vector<SolveResult> rest = inner.run();
      for (std::size_t s = 0; s < rest.size(); ++s) results[s].append(rest[s], {});
      return results;
    }
    if (parameters_.sweep == ShiftSweep::inner) {
      const std::vector<double> tolerances(x.size(), parameters_.inner_tolerance);
      SpinorField<S> inner_b(b.lattice(), b.parameters());
      blas::copy(inner_b, b);
      std::vector<SpinorField<S>> inner_x;
      std::vector<SpinorField<S>*> inner_ordered;
      for (std::size_t s = 0; s < x.size(); ++s) inner_x.emplace_back(b.lattice(), b.parameters());
      for (SpinorField<S>& field : inner_x) inner_ordered.push_back(&field);
      auto results = detail::MultiShiftRecurrence<S, S>(inner_systems_, inner_systems_, inner_ordered, inner_b,
                                                        tolerances, parameters, request)
                         .run();
      for (std::size_t s = 0; s < x.size(); ++s) {
        blas::copy(*ordered[s], inner_x[s]);
        // Nothing has been computed in T yet.
        for (auto& r : results[s].right_hand_sides) {
          if (r.true_residual != 0.0) r.status = SolveStatus::stagnated;
        }
      }
      return results;
    }
  }
  return detail::MultiShiftRecurrence<T, S>(systems_, inner_systems_, ordered, b, tolerances_, parameters, request)
      .run();
}

template <class T, class S, class R>
SolveResult MultiShiftCg<T, S, R>::refine(std::size_t s, SpinorField<T>& x, const SpinorField<T>& b,
                                          const SolveRequest& request) const {
  const SolverParameters parameters = of_refinement(s);
  SolveResult result = Cg<T, R>(systems_[s], refining_systems_[s], parameters).solve(x, b, request);
  if constexpr (!std::is_same_v<R, S>) {
    if (!result.stopped && any_stagnated(result)) {
      const SolveRequest rest = restart_request(result, request);
      for (std::size_t k = 0; k < rest.active.size(); ++k)
        result.right_hand_sides[k].fallbacks += rest.active[k] ? 1 : 0;
      result.append(Cg<T, S>(systems_[s], inner_systems_[s], parameters).solve(x, b, rest), rest);
    }
  }
  return result;
}

template <class T, class S, class R>
SolverParameters MultiShiftCg<T, S, R>::of_refinement(std::size_t s) const {
  return {.tolerance = tolerances_[s],
          .max_iterations = parameters_.max_iterations,
          .reliable_delta = parameters_.reliable_delta};
}

template <class T, class S, class R>
std::vector<SolveResult> MultiShiftCg<T, S, R>::solve(std::span<SpinorField<T>> x, const SpinorField<T>& b,
                                                      const SolveRequest& request) const {
  require_no_targets(request);
  detail::require_own_fields(x, b, shifts_.size(), "shifts");
  if (const detail::SourceLengths lengths = detail::source_lengths(b); !lengths.in_range) {
    return detail::solve_with_scale(x, b, lengths.scale,
                                    [&](const SpinorField<T>& scaled) { return solve(x, scaled, request); });
  }
  const Kokkos::Timer timer;
  // S and R see a source of length one.
  blas::Reals norm(static_cast<std::size_t>(b.right_hand_sides()), 1.0);
  std::optional<SpinorField<T>> scaled;
  if constexpr (mixed) {
    norm = detail::norms(detail::finite_norm2(b));
    blas::Reals inverse = norm;
    for (double& value : inverse) value = value > 0.0 ? 1.0 / value : 0.0;
    blas::copy(scaled.emplace(b.lattice(), b.parameters()), b);
    blas::scale(*scaled, inverse);
  }
  const SpinorField<T>& source = mixed ? *scaled : b;
  // One shift alone can be corrected, as reliable updates do it.
  const bool alone = mixed && x.size() == 1 && std::ranges::all_of(norm, [](double value) { return value > 0.0; });
  std::vector<SolveResult> started, results(x.size());
  const SolveRequest counting = counted(request, norm.size(), parameters_.max_iterations);
  if (alone) {
    blas::set_zero(x[0]);
    started.push_back(Cg<T, S>(systems_[0], inner_systems_[0], of_refinement(0)).solve(x[0], source, counting));
  } else {
    started = sweep(x, source, counting);
  }
  restart_stagnated(started, counting, !alone,
                    [&](std::size_t s, const SolveRequest& rest) { return refine(s, x[order_[s]], source, rest); });
  for (std::size_t s = 0; s < x.size(); ++s) {
    if (mixed) blas::scale(x[s], norm);
    results[order_[s]] = std::move(started[s]);
  }
  b.lattice().execution().fence("kaon::solve");
  for (SolveResult& result : results) result.seconds = timer.seconds();
  return results;
}

template class MultiShiftCg<double>;
template class MultiShiftCg<float>;
template class MultiShiftCg<double, float>;
template class MultiShiftCg<double, float, half>;

}  // namespace kaon
