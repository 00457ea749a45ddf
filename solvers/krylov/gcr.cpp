// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/krylov_space.hpp"
#include "solvers/krylov/relaxation_scalars.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/solvers/krylov.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kaon {
namespace {

/// Fewer say too little of the error.
constexpr std::size_t fewest_directions = 2;

/// Takes in the length of the steps of x since a residual near the target, for right-hand sides that have reached
/// theirs. `norms`: |r| after each direction; `step` is scratch.
template <class T>
void take_last_steps(detail::SolveState<T>& state, const detail::KrylovSpace<T>& space,
                     const std::vector<blas::Reals>& norms, SpinorField<T>& step) {
  std::vector<std::size_t> first(state.size(), space.size());
  blas::Reals before(state.size()), after(state.size());
  for (std::size_t k = 0; k < state.size(); ++k) {
    if (state.status(k) != SolveStatus::converged) continue;
    std::size_t last = norms.size();  // the direction with which k converged, and zeros after it
    while (last > 0 && norms[last - 1][k] == 0.0) --last;
    if (last < fewest_directions + 1) continue;
    std::size_t m = 1;
    while (m + fewest_directions < last && norms[m - 1][k] > state.near_target(k)) ++m;
    first[k] = m;
    before[k] = norms[m - 1][k];
    after[k] = norms[last - 1][k];
  }
  if (std::ranges::all_of(first, [&](std::size_t m) { return m == space.size(); })) return;
  blas::set_zero(step);
  space.add_to(step, first);
  const blas::Reals length = detail::norms(blas::norm2(step));
  for (std::size_t k = 0; k < state.size(); ++k) {
    if (length[k] > 0.0) state.take_step(k, length[k], before[k], after[k]);
  }
}

}  // namespace

template <class T>
Gcr<T>::Gcr(Ref<LinearOperator<T>> matrix, const GcrParameters& parameters)
    : matrix_(std::move(matrix)), parameters_(parameters) {
  detail::require_bounds(parameters.solve);
  require(parameters.krylov_space >= 1, [&] {
    return fmt::format("GCR needs a Krylov space of at least one direction, got {}", parameters.krylov_space);
  });
  require(parameters.steps >= 0,
          [&] { return fmt::format("GCR cannot take {} steps; 0 solves to the tolerance", parameters.steps); });
}

template <class T>
Gcr<T>::Gcr(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<T>> preconditioner, const GcrParameters& parameters)
    : Gcr(std::move(matrix), parameters) {
  require(matrix_->domain() == preconditioner->domain(), "the preconditioner acts on fields of another shape");
  preconditioner_ = std::move(preconditioner);
}

template <class T>
void Gcr<T>::provide_directions(std::size_t count, int right_hand_sides) const {
  matrix_->keep_fields(p_, count, right_hand_sides);
  matrix_->keep_fields(z_, count, right_hand_sides);
}

template <class T>
void Gcr<T>::precondition(SpinorField<T>& p, const SpinorField<T>& r) const {
  if (preconditioner_) {
    (*preconditioner_)->apply(p, r);
  } else {
    blas::copy(p, r);
  }
}

// Vectors read and written in an iteration with m directions in the space already, beside one application each of M and
// K (without K, p = r: 1, 1):
//   <z_j, M p>, |M p|^2            m + 1, 0
//   <M p, r>, |r|^2                    2, 0   in the same sum over processes
//   z -= sum_j beta_j z_j          m + 1, 1
//   r -= alpha z                       2, 1   in all 2m + 6 read, 2 written
// and at a restart, beside an application of M:
//   x += sum_m chi_m p_m           m + 1, 1
//   r = b - M x                        2, 1
template <class T>
SolveResult Gcr<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  detail::SolveState<T> state(*matrix_, x, b, parameters_.solve, request);
  const std::size_t n = state.size(), krylov_space = static_cast<std::size_t>(parameters_.krylov_space);
  const int right_hand_sides = b.right_hand_sides();
  detail::Temporaries<T> fields(b.lattice(), b.parameters(), 1);
  SpinorField<T>& r = fields[0];
  // Residuals of finished right-hand sides become zero, so that inner solvers skip them.
  std::vector<bool> retired(n);
  const auto retire = [&] {
    for (std::size_t k = 0; k < n; ++k) {
      if (state.active(k) || retired[k]) continue;
      blas::set_zero(r.right_hand_side(k));
      retired[k] = true;
    }
  };

  // r = b - M x
  const auto start = [&](int first, int count) {
    SpinorField<T> r_k = r.range(first, count);
    return state.residual(r_k, first);
  };
  state.begin(start(0, right_hand_sides));

  do {
    while (state.any_active()) {
      state.restart(start);
      retired.assign(n, false);  // r is new
      retire();

      detail::KrylovSpace<T> space(state, p_, z_);
      std::vector<blas::Reals> norms;  // |r| after each direction
      while (space.size() < krylov_space && state.any_active() && !state.any_restart()) {
        provide_directions(space.size() + 1, right_hand_sides);
        SpinorField<T>&p = p_[space.size()], &z = z_[space.size()];

        precondition(p, r);                         // p = K r
        matrix_->apply(z, p);                       // z = M p
        const blas::Scalars alpha = space.take(r);  // z orthogonal, <z, r> / |z|^2
        blas::caxpy(r, z, -alpha);                  // r = r - alpha z
        const std::optional<blas::Reals> rest = space.norm2_of_rest();
        const blas::Reals r_norm2 = rest ? *rest : blas::norm2(r);

        state.count_applications(1);
        if (preconditioner_) state.count_flops(flops_of(**preconditioner_) * right_hand_sides);
        state.count_blas(6);
        state.record(r_norm2);
        norms.push_back(detail::norms(r_norm2));
        retire();
      }
      take_last_steps(state, space, norms, z_[0]);
      space.add_to(x);
      if (!state.any_active()) break;
      state.take_true_residual(start(0, right_hand_sides));
    }
  } while (state.check_true_residuals(r));
  return state.finish();
}

// Vectors read and written in a step with m directions already, beside one application each of M and K (without K,
// p = r: 1, 1):
//   <z_j, z>, |z_j|^2; z -= beta z_j, p -= beta p_j, for each j     6m, 2m
//   <z, r>, |z|^2                                                    2, 0
//   x += alpha p, r -= alpha z                                       4, 2
// The z_j are projected out consecutively (modified Gram-Schmidt): steps are few. The last step needs neither z nor r,
// so that it has one sum over processes for the last z_j and r:
//   <z_j, z>, <z, r>, |z|^2, |z_j|^2                                 3, 0
//   x += alpha (p - beta p_j)                                        3, 1
// Two steps have two sums. All sums are in double, and need no scale of r.
template <class T>
void Gcr<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  if (parameters_.steps == 0) return Solver<T>::apply(out, in);
  this->require_domain(out, in);
  const auto steps = static_cast<std::size_t>(parameters_.steps);
  provide_directions(steps, in.right_hand_sides());
  SpinorField<T>& r = matrix_->keep_fields(residual_, 1, in.right_hand_sides())[0];
  const auto projection = [](std::size_t) { return detail::Projection{}; };
  const auto relaxation = [](std::size_t) { return detail::Relaxation{.omega = 1.0, .runs = true}; };
  const auto last_step = [](std::size_t) { return detail::LastStep<T>{}; };

  detail::zero_and_scale(out, r, in, 1.0);  // x = 0, r = b
  for (std::size_t m = 0; m < steps; ++m) {
    SpinorField<T>&p = p_[m], &z = z_[m];
    precondition(p, r);    // p = K r
    matrix_->apply(z, p);  // z = M p
    const bool last = m > 0 && m + 1 == steps;
    for (std::size_t j = 0; j < (last ? m - 1 : m); ++j) {
      const blas::Scalars beta = detail::unattended_products(z_[j], z, projection);  // <z_j, z> / |z_j|^2
      blas::caxpy(z, z_[j], -beta);
      blas::caxpy(p, p_[j], -beta);
    }
    if (last) {
      const blas::Scalars alphas = detail::unattended_products(z_[m - 1], z, r, last_step);
      detail::caxpy_twice(out, p, p_[m - 1], alphas);  // x = x + alpha (p - beta p_j)
    } else {
      const blas::Scalars alpha = detail::unattended_products(z, r, relaxation);  // <z, r> / |z|^2
      detail::gcr_update(out, r, p, z, alpha);                                    // x = x + alpha p, r = r - alpha z
    }
  }
}

template class Gcr<double>;
template class Gcr<float>;
template class Gcr<half>;

}  // namespace kaon
