// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/fused_updates.hpp"
#include "core/reductions/pending_reductions.hpp"
#include "solvers/contract/next_application.hpp"
#include "solvers/contract/solve_state.hpp"
#include "solvers/contract/step_length.hpp"

#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <utility>

namespace kaon {
// Vectors read and written in an iteration beside one application each of M and M^dag:
//   w = M p, |w|^2                     0, 0
//   r -= alpha w, |r|^2                2, 1
//   z = M^dag r, |z|^2, <last z, z>    1, 0
//   x += alpha p, p = z + beta p       3, 2   in all 6 read, 3 written
template <class T, class S>
SolveResult Cgnr<T, S>::run(detail::SolveState<T, S>& state) const {
  const LinearOperator<S>& inner = *this->inner_;
  const std::size_t n = state.size();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 5);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2];
  SpinorField<S>*z = &fields[3], *last_z = &fields[4];
  blas::Reals r_norm2(n), z_norm2(n);
  detail::NextApplication<S> of_direction(inner, w, p, {});  // w = M p, |w|^2

  // r = b - M x, p = last z = M^dag r
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count), p_k = p.range(first, count), z_k = last_z->range(first, count);
    of_direction.forget();
    const blas::Reals norm2 = state.residual(r_k, first);
    adjoint_->apply_dagger(p_k, r_k);
    blas::copy(z_k, p_k);
    const blas::Reals p_norm2 = blas::norm2(p_k);
    std::copy(norm2.begin(), norm2.end(), r_norm2.begin() + first);
    std::copy(p_norm2.begin(), p_norm2.end(), z_norm2.begin() + first);
    return norm2;
  };

  const auto alpha_of = [&](std::size_t k) {  // |z|^2 / |w|^2
    return detail::StepLength{detail::StepLength::y_norm2, z_norm2[k], state.runs(k)};
  };
  const auto step_of = [&](std::size_t k) { return detail::FlexibleNormalStep{z_norm2[k]}; };
  blas::Reals alphas(n);
  // Sets r_norm2 to the |r|^2 of an iteration, and alphas.
  const auto take = [&](auto& of_w, const blas::Scalars& alpha, auto& of_r) {
    const blas::Products& products = of_w.wait();
    const blas::Reals& norm2 = of_r.wait();
    for (std::size_t k = 0; k < n; ++k) {
      if (!state.runs(k)) continue;
      alphas[k] = alpha.has(k) ? alpha(k).real() : detail::alpha_on_host(state, k, alpha_of(k), products);
      if (alpha.has(k)) r_norm2[k] = norm2[k];
    }
  };
  // The rest of an iteration of right-hand side k, which kernels declined, from r -= alpha w on or from z = M^dag r;
  // |z|^2.
  const auto iterate_alone = [&](std::size_t k, bool has_r) {
    of_direction.forget();
    SpinorField<S> x_k = x.right_hand_side(k), r_k = r.right_hand_side(k), p_k = p.right_hand_side(k);
    SpinorField<S> z_k = z->right_hand_side(k);
    const SpinorField<S> last_z_k = last_z->right_hand_side(k);
    if (!has_r) r_norm2[k] = blas::axpy_norm2(r_k, w.right_hand_side(k), -alphas[k])[0];
    auto of_z = adjoint_->apply_dagger_and_reduce(z_k, r_k, {.w = &last_z_k});
    const double next_norm2 = of_z.wait().y_norm2[0];
    state.count_flops(flops_of(inner));
    state.stop_running_ahead();
    const double change = detail::FlexibleNormalStep::change(next_norm2, of_z.wait().w_y[0].real());
    blas::cg_update(x_k, p_k, z_k, detail::host_step({alphas[k]}, {change}, {z_norm2[k]}));
    if (!detail::is_finite(next_norm2)) state.discard(k);
    return next_norm2;
  };

  state.begin_lanczos(detail::ConjugateOf::normal);
  const auto iterate = [&] {
    auto of_w = of_direction.take(state);  // w = M p, |w|^2
    const bool ahead = of_direction.runs_ahead();
    const blas::Scalars alpha = of_direction.scalars(of_w, alpha_of);   // alpha = |z|^2 / |w|^2
    auto of_r = detail::axpy_norm2(r, w, -alpha, detail::no_function);  // r = r - alpha w, |r|^2
    if (!ahead) take(of_w, alpha, of_r);
    const bool update = !ahead && state.update_due(r_norm2);
    if (update) {
      blas::axpy(x, p, alpha);
      state.reliable_update(r, r_norm2);
    }
    auto of_z = adjoint_->apply_dagger_and_reduce(*z, r, {.w = last_z});  // z = M^dag r, |z|^2, <last z, z>
    blas::Scalars step;
    if (!update) {
      step = of_direction.scalars(of_z, step_of, alpha);  // alpha, beta
      blas::cg_update(x, p, *z, step);                    // x = x + alpha p, p = z + beta p
    }
    if (ahead) of_direction.begin(state);
    blas::Reals next_norm2 = of_z.wait().y_norm2;
    if (update) {
      detail::make_orthogonal(p, *z, next_norm2);
      blas::xpay(p, *z, detail::ratios(next_norm2, z_norm2));
    }
    if (ahead) take(of_w, alpha, of_r);
    for (std::size_t k = 0; !update && k < n; ++k) {
      if (!state.runs(k) || step.has(k)) continue;
      next_norm2[k] = iterate_alone(k, alpha.has(k));
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (state.runs(k)) state.take_step(k, alphas[k], next_norm2[k] / z_norm2[k]);
    }
    z_norm2 = next_norm2;
    std::swap(z, last_z);
    if (ahead) state.defer_update(r_norm2);
    state.count_applications(2);
    state.count_blas(2 + 4 + 4 + 4);
    return r_norm2;
  };
  return state.run(start, iterate, w);
}

template class Cgnr<double>;
template class Cgnr<float>;
template class Cgnr<half>;
template class Cgnr<double, float>;
template class Cgnr<double, half>;
template class Cgnr<float, half>;

}  // namespace kaon
