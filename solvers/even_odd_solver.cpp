// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/not_finite.hpp"
#include "solvers/least_residual.hpp"
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/even_odd_solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace kaon {
namespace {

/// Inner solves that may follow the first, each with a target corrected by what the last one gave.
constexpr int max_corrections = 3;
/// Part of the tolerance that the inner solve aims at, so that one is enough as a rule.
constexpr double safety = 0.9;

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

/// The other parity of x for right-hand sides that are active.
template <class T>
void reconstruct(const EvenOddSystem<T>& system, SpinorField<T>& x, const SpinorField<T>& b,
                 const std::vector<bool>& active) {
  const auto is_active = [&](int k) { return active[static_cast<std::size_t>(k)]; };
  const int n = b.right_hand_sides();
  for (int first = 0, next = 0; first < n; first = next) {
    for (next = first + 1; next < n && is_active(next) == is_active(first);) ++next;
    if (!is_active(first)) continue;
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
SolveResult EvenOddSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  Kokkos::Timer timer;
  const EvenOddOperator<T>& full = system_->full();
  const int right_hand_sides = b.right_hand_sides();
  const Parity p = system_->parity();
  const detail::Targets targets = detail::make_targets(x, b, tolerance_, request);
  const std::vector<double>& b_norm = targets.source_norm;
  const std::vector<double>& target = targets.residual_norm;
  const std::vector<bool>& active = targets.active;
  SolveRequest of_inner{.residual_norms = target, .active = active, .iterations = request.iterations};

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
  for (std::size_t k = 0; k < b_norm.size(); ++k) of_inner.residual_norms[k] *= safety / ratio[k];

  SolveResult total;
  detail::LeastResidual<T> least(*system_, b_norm);
  SpinorField<T> x_p = x.parity(p);
  for (int correction = 0;; ++correction) {
    total.append(inner_->solve(x_p, source, of_inner), of_inner);
    reconstruct(*system_, x, b, active);
    full.apply(residual, x);
    const blas::Reals norm2 = blas::xmy_norm2(residual, b);
    total.flops += 2.0 * full.flops() * right_hand_sides;
    std::vector<bool> goes_on(b_norm.size(), false);
    for (std::size_t k = 0; k < norm2.size(); ++k) {
      auto& r = total.right_hand_sides[k];
      const double norm = std::sqrt(norm2[k]);
      r.true_residual = norm / b_norm[k];
      if (!active[k]) {
        r.status = SolveStatus::converged;
        continue;
      }
      least.see(k, norm);
      if (of_inner.active[k]) r.iterated_residual *= std::sqrt(source_norm2[k]) * ratio[k] / b_norm[k];
      if (norm <= target[k]) {
        r.status = SolveStatus::converged;
      } else if (!detail::is_finite(norm)) {
        r.status = SolveStatus::not_a_number;
      } else if (total.stopped && r.status == SolveStatus::converged) {
        r.status = SolveStatus::stopped;
      } else if (r.status == SolveStatus::converged) {
        // The system on one parity has reached its target: a lower one may do, if there are corrections left.
        goes_on[k] = correction < max_corrections;
        if (!goes_on[k]) r.status = SolveStatus::stagnated;
        of_inner.residual_norms[k] *= safety * target[k] / norm;
      }
    }
    if (std::none_of(goes_on.begin(), goes_on.end(), [](bool value) { return value; })) break;
    least.keep(x);
    of_inner.active = goes_on;
    of_inner.iterations = request.after(total).iterations;
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
