// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/even_odd_solver.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

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

}  // namespace

template <class T>
EvenOddSolver<T>::EvenOddSolver(Ref<Solver<T>> inner, double tolerance)
    : EvenOddSolver(system_of(*inner), inner, tolerance) {}

template <class T>
EvenOddSolver<T>::EvenOddSolver(Ref<EvenOddSystem<T>> system, Ref<Solver<T>> inner, double tolerance)
    : system_(std::move(system)), inner_(std::move(inner)), tolerance_(tolerance) {
  require(&inner_->solved_operator() == &*system_,
          "the inner solver must solve the even-odd system that it is given with");
  require(tolerance > 0.0, [&] { return fmt::format("the tolerance must be positive, got {}", tolerance); });
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
  SpinorField<T> x_p = x.parity(p);
  for (int correction = 0; correction <= max_corrections; ++correction) {
    SolveResult result = inner_->solve(x_p, source, inner_target);
    // What the last inner solve gave up on, this one was told to leave alone.
    for (std::size_t k = 0; correction > 0 && k < target.size(); ++k) {
      if (std::isinf(inner_target[k])) result.right_hand_sides[k].status = total.right_hand_sides[k].status;
    }
    system_->reconstruct(x, b);
    full.apply(residual, x);
    const blas::Reals norm2 = blas::xmy_norm2(residual, b);
    bool again = false;
    for (std::size_t k = 0; k < norm2.size(); ++k) {
      auto& r = result.right_hand_sides[k];
      const double norm = std::sqrt(norm2[k]);
      r.iterated_residual *= std::sqrt(source_norm2[k]) * ratio[k] / b_norm[k];
      r.true_residual = norm / b_norm[k];
      if (norm <= target[k]) {
        r.status = SolveStatus::converged;
      } else if (r.status == SolveStatus::converged) {
        if (correction == max_corrections) r.status = SolveStatus::stagnated;
        again = again || correction < max_corrections;
        inner_target[k] *= safety * target[k] / norm;
      } else {
        inner_target[k] = std::numeric_limits<double>::infinity();
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
  }
  total.seconds = timer.seconds();
  return total;
}

template class EvenOddSolver<double>;
template class EvenOddSolver<float>;

}  // namespace kaon
