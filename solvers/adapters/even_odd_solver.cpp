// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/not_finite.hpp"
#include "solvers/contract/best_solution.hpp"
#include "solvers/contract/refinement.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/adapters.hpp>

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace kaon {
namespace {

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
EvenOddSolver<T>::EvenOddSolver(Ref<Solver<T>> inner) : EvenOddSolver(system_of(*inner), inner) {}

template <class T>
EvenOddSolver<T>::EvenOddSolver(Ref<EvenOddSystem<T>> system, Ref<Solver<T>> inner)
    : system_(std::move(system)), inner_(std::move(inner)) {
  require(&inner_->solved_operator() == &*system_,
          "the inner solver must solve the even-odd system that it is given with");
}

template <class T>
SolveResult EvenOddSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  Kokkos::Timer timer;
  const EvenOddOperator<T>& full = system_->full();
  const int right_hand_sides = b.right_hand_sides();
  const Parity p = system_->parity();
  const detail::Targets targets = detail::make_targets(x, b, tolerance(), request);
  detail::Refinement refinement(targets, request, {});

  SpinorField<T> source = system_->make_field(right_hand_sides);
  SpinorField<T> residual = full.make_field(right_hand_sides);
  system_->prepare(source, b);
  // |b - M x| over the residual of the system on one parity: estimated by its effect on the source, for a first target.
  blas::Reals ratio(targets.active.size(), 1.0);
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
  for (std::size_t k = 0; k < ratio.size(); ++k) {
    refinement.request().residual_norms[k] *= detail::refinement_safety / ratio[k];
  }

  detail::BestSolution<T> best(targets);
  SpinorField<T> x_p = x.parity(p);
  blas::Reals part = ratio;  // from residuals of the system on one parity to parts of |b|
  for (std::size_t k = 0; k < part.size(); ++k) part[k] *= std::sqrt(source_norm2[k]) / targets.source_norm[k];
  const Progress progress = request.progress.narrowed(part, blas::Reals(part.size(), 1.0));
  const auto solve_on_parity = [&](SolveRequest& of_inner) {
    of_inner.progress = progress;
    SolveResult result = inner_->solve(x_p, source, of_inner);
    for (std::size_t k = 0; k < part.size(); ++k) result.right_hand_sides[k].iterated_residual *= part[k];
    return result;
  };
  const auto goes_on = [&] {
    reconstruct(*system_, x, b, targets.active);
    full.apply(residual, x);
    const blas::Reals norm = detail::norms(blas::xmy_norm2(residual, b));
    refinement.result().flops += 2.0 * flops_of(full) * right_hand_sides;
    best.see(x_p, 0, norm, targets.active);
    return refinement.goes_on(norm);
  };
  refinement.run(solve_on_parity, goes_on);

  SolveResult& total = refinement.result();
  for (std::size_t k = 0; k < ratio.size(); ++k) {
    auto& r = total.right_hand_sides[k];
    const double covers = system_->full_error_per_residual(r.error_at_least ? 0.0 : r.error_per_residual, ratio[k]);
    r.error_at_least = covers == 0.0;
    r.error_per_residual = r.error_at_least ? system_->full_error_per_residual(r.error_per_residual, ratio[k]) : covers;
    if (r.status == SolveStatus::converged) continue;
    SpinorField<T> x_k = x.right_hand_side(k);
    const detail::Restored restored = best.restore(x_p, k);
    if (restored == detail::Restored::zero) blas::set_zero(x_k);
    if (restored == detail::Restored::earlier) system_->reconstruct(x_k, b.right_hand_side(k));
    r.true_residual = best.norm(k) / targets.source_norm[k];
  }
  total.seconds = timer.seconds();
  return std::move(total);
}

template class EvenOddSolver<double>;
template class EvenOddSolver<float>;

}  // namespace kaon
