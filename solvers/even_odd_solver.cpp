// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/not_finite.hpp"
#include "solvers/least_residual.hpp"
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/even_odd_solver.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace kaon {
namespace {

/// Inner solves that may follow the first, each with a target corrected by what the last one gave.
constexpr int max_corrections = 3;
/// Part of the tolerance that the inner solve aims at, so that one is enough as a rule.
constexpr double safety = 0.9;
/// A target that any x has reached: that of right-hand sides that are left alone.
constexpr double any = std::numeric_limits<double>::infinity();

template <class T>
const EvenOddSystem<T>& system_of(const Solver<T>& inner) {
  const auto* system = dynamic_cast<const EvenOddSystem<T>*>(&inner.solved_operator());
  require(system != nullptr, "the inner solver of an even-odd solver must solve an even-odd system");
  return *system;
}

/// Throws `Error` where the source on one parity is not finite, although b is.
template <class T>
void require_finite_source(const SpinorField<T>& source, std::span<const double> norm2) {
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    require(detail::is_finite(norm2[k]), [&] {
      return fmt::format(
          "on one parity the source of right-hand side {} holds NaN or infinity {}, although b is finite: look for "
          "such "
          "numbers and for huge ones in the links and masses of the operator",
          k, detail::place_of_not_finite(source, static_cast<int>(k)));
    });
  }
}

/// The other parity of x for right-hand sides that are not left alone.
template <class T>
void reconstruct(const EvenOddSystem<T>& system, SpinorField<T>& x, const SpinorField<T>& b,
                 std::span<const double> target) {
  const auto left_alone = [&](int k) { return target[static_cast<std::size_t>(k)] == any; };
  const int n = b.right_hand_sides();
  for (int first = 0, next = 0; first < n; first = next) {
    for (next = first + 1; next < n && left_alone(next) == left_alone(first);) ++next;
    if (left_alone(first)) continue;
    SpinorField<T> x_k = x.range(first, next - first);
    system.reconstruct(x_k, b.range(first, next - first));
  }
}

}  // namespace

template <class T>
EvenOddSolver<T>::EvenOddSolver(Ref<Solver<T>> inner, double tolerance)
    : EvenOddSolver(system_of(*inner), inner, tolerance) {}

template <class T>
EvenOddSolver<T>::EvenOddSolver(Ref<EvenOddSystem<T>> system, Ref<Solver<T>> inner, double tolerance)
    : system_(std::move(system)), inner_(std::move(inner)), tolerance_(tolerance) {
  require(&inner_->solved_operator() == &*system_,
          "the inner solver must solve the even-odd system that it is given with");
  detail::require_tolerance(tolerance);
}

template <class T>
SolveResult EvenOddSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b,
                                    std::span<const double> residual_norms) const {
  Kokkos::Timer timer;
  const EvenOddOperator<T>& full = system_->full();
  const int right_hand_sides = b.right_hand_sides();
  const Parity p = system_->parity();
  const detail::Targets targets = detail::make_targets(x, b, tolerance_, residual_norms);
  const std::vector<double>& b_norm = targets.source_norm;
  const std::vector<double>& target = targets.residual_norm;
  std::vector<double> inner_target;

  SpinorField<T> source = system_->make_field(right_hand_sides);
  SpinorField<T> residual = full.make_field(right_hand_sides);
  system_->prepare(source, b);
  // |b - M x| over the residual of the system on one parity: estimated by its effect on the source, for a first target.
  blas::Reals ratio(b_norm.size(), 1.0);
  const blas::Reals source_norm2 = blas::norm2(source);
  require_finite_source(source, source_norm2);
  {
    SpinorField<T> scaled = system_->make_field(right_hand_sides);
    system_->full_residual(scaled, source);
    const blas::Reals scaled_norm2 = blas::norm2(scaled);
    for (std::size_t k = 0; k < ratio.size(); ++k) {
      if (source_norm2[k] > 0.0) ratio[k] = std::sqrt(scaled_norm2[k] / source_norm2[k]);
    }
  }
  for (std::size_t k = 0; k < b_norm.size(); ++k) {
    inner_target.push_back(safety * target[k] / ratio[k]);
  }

  SolveResult total;
  detail::LeastResidual<T> least(*system_, b_norm);
  SpinorField<T> x_p = x.parity(p);
  for (int correction = 0; correction <= max_corrections; ++correction) {
    SolveResult result = inner_->solve(x_p, source, inner_target);
    // What the last inner solve gave up on, this one was told to leave alone.
    for (std::size_t k = 0; correction > 0 && k < target.size(); ++k) {
      if (inner_target[k] == any) result.right_hand_sides[k].status = total.right_hand_sides[k].status;
    }
    reconstruct(*system_, x, b, target);
    full.apply(residual, x);
    const blas::Reals norm2 = blas::xmy_norm2(residual, b);
    bool again = false;
    for (std::size_t k = 0; k < norm2.size(); ++k) {
      auto& r = result.right_hand_sides[k];
      const double norm = std::sqrt(norm2[k]);
      r.iterated_residual *= std::sqrt(source_norm2[k]) * ratio[k] / b_norm[k];
      r.true_residual = norm / b_norm[k];
      least.see(k, norm);
      if (norm <= target[k]) {
        r.status = SolveStatus::converged;
      } else if (!detail::is_finite(norm)) {
        r.status = SolveStatus::not_a_number;
        inner_target[k] = any;
      } else if (r.status == SolveStatus::converged) {
        if (correction == max_corrections) r.status = SolveStatus::stagnated;
        again = again || correction < max_corrections;
        inner_target[k] *= safety * target[k] / norm;
      } else {
        inner_target[k] = any;
      }
      if (correction > 0) {
        r.iterations += total.right_hand_sides[k].iterations;
        r.restarts += total.right_hand_sides[k].restarts;
        r.fallbacks += total.right_hand_sides[k].fallbacks;
      }
    }
    result.flops += total.flops + 2.0 * full.flops() * right_hand_sides;
    result.reliable_updates += total.reliable_updates;
    result.history.insert(result.history.begin(), total.history.begin(), total.history.end());
    total = std::move(result);
    if (!again) break;
    least.keep(x);
  }
  for (std::size_t k = 0; k < b_norm.size(); ++k) {
    auto& r = total.right_hand_sides[k];
    if (r.status != SolveStatus::converged) r.true_residual = least.restore(k, x, b) / b_norm[k];
  }
  total.seconds = timer.seconds();
  return total;
}

template class EvenOddSolver<double>;
template class EvenOddSolver<float>;

}  // namespace kaon
