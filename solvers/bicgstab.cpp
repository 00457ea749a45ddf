// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/pending_reductions.hpp"
#include "solvers/bicgstab_recurrence.hpp"
#include "solvers/source_scale.hpp"

#include <kaon/solvers/bicgstab.hpp>

#include <utility>

namespace kaon {
namespace {

using blas::Scalars;
using detail::declined, detail::is_finite, detail::ReducedSums;

// Vectors read and written in an iteration beside two applications of M:
//   v = M p, <r0, v>                                                1, 0
//   r -= alpha v                                                    2, 1
//   t = M r, <t, r>, <r0, r>, <r0, t>                               1, 0
//   x += alpha p + omega r, r -= omega t, p = r + beta (p - omega v)   5, 3   in all 9 read, 4 written
// beta needs <r0, r> of the new r before there is one: it is <r0, r> - omega <r0, t>, and |r|^2 of the new r is
// |r|^2 - |<t, r>|^2 / |t|^2. Where that is mostly rounding, and where a reliable update is due, the last pass is two,
// 12 read and 4 written in all.
template <class T, class S>
void iterate(detail::BiCgStabRecurrence<T, S>& recurrence) {
  auto& [state, inner, x, r, r0, p, v, t, rho, r0_norm2, r_norm2] = recurrence;
  const auto alpha_of = [&](std::size_t k) { return recurrence.alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return recurrence.step_of(k); };

  auto of_v = inner.apply_and_reduce(v, p, {.w = &r0});  // v = M p, <r0, v>
  const bool ahead = state.can_run_ahead() && of_v.in_kernels();
  const Scalars alpha = of_v.scalars(alpha_of, ahead);              // alpha = rho / <r0, v>
  blas::caxpy(r, v, -alpha);                                        // r = r - alpha v
  auto of_t = inner.apply_and_reduce(t, r, {.x = true, .w = &r0});  // t = M r
  const Scalars step = of_t.scalars(step_of, ahead, alpha);         // alpha, omega, beta
  if (ahead) blas::bicgstab_update(x, r, p, t, v, step);

  // The host's part, beside that work if it was enqueued ahead. It treats right-hand sides that functions declined.
  const blas::Products &v_products = of_v.wait(), &t_products = of_t.wait();
  const std::size_t n = state.size();
  blas::Complexes alphas(n, declined), omegas(n, declined);
  for (std::size_t k = 0; k < n; ++k) {
    if (!state.runs(k)) continue;
    auto sums = detail::sums_of(t_products, k);
    alphas[k] = alpha(k);
    if (!alpha.has(k)) {
      const auto sums_of_v = detail::sums_of(v_products, k);
      const auto host_alpha = detail::apply_on_host(alpha_of(k), sums_of_v.data(), nullptr)[0];
      alphas[k] = {host_alpha.re, host_alpha.im};
      if (!is_finite(host_alpha.re)) {
        // It met NaN, or broke down.
        is_finite(sums_of_v[0] + sums_of_v[4] + sums_of_v[5]) ? state.break_down(k) : state.discard(k);
        continue;
      }
      sums = recurrence.shorten_alone(k, alphas[k]);
    }
    const auto omega = step_of(k).omega(ReducedSums{sums.data()});
    omegas[k] = {omega.re, omega.im};
    r_norm2[k] = step_of(k).next_norm2(ReducedSums{sums.data()});
    if (!is_finite(sums[0]) || !is_finite(omegas[k])) state.discard(k);
  }
  const bool update = !ahead && state.update_due(r_norm2);
  if (update) {
    recurrence.finish_in_two_passes(0, static_cast<int>(n), alphas, omegas, true);
  } else if (!ahead) {
    blas::bicgstab_update(x, r, p, t, v, step);
  }
  for (std::size_t k = 0; k < n && !update; ++k) {
    if (!state.runs(k)) continue;
    if (step.has(k)) {
      rho[k] = step(k, 3);
    } else {
      recurrence.finish_in_two_passes(static_cast<int>(k), 1, alphas, omegas, false);
    }
  }
  if (ahead) state.defer_update(r_norm2);
}

}  // namespace

template <class T, class S>
SolveResult BiCgStab<T, S>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  detail::Targets targets = detail::make_targets(x, b, this->parameters_.tolerance, request);
  if (auto result = detail::solve_scaled<T, S>(*this, x, b, targets, request)) return std::move(*result);
  detail::SolveState<T, S> state(*this->matrix_, x, b, this->parameters_, request, std::move(targets));
  const std::size_t n = state.size();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 5);
  SpinorField<S>& t = fields[4];
  detail::BiCgStabRecurrence<T, S> recurrence{
      state, *this->inner_,      state.solution(), fields[0],     fields[1], fields[2], fields[3],
      t,     blas::Complexes(n), blas::Reals(n),   blas::Reals(n)};
  const auto start = [&](int first, int count) { return recurrence.start(first, count); };
  state.begin(start(0, b.right_hand_sides()));
  do {
    while (state.any_active()) {
      state.restart(start);
      iterate(recurrence);
      state.count_applications(2);
      state.count_blas(6 + 4 + 6 + 18 + 8);  // as the method is written, with sums of the new r
      state.record(recurrence.r_norm2);
    }
  } while (state.check_true_residuals(t));
  return state.finish();
}

template class BiCgStab<double>;
template class BiCgStab<float>;
template class BiCgStab<half>;
template class BiCgStab<double, float>;
template class BiCgStab<double, half>;
template class BiCgStab<float, half>;

}  // namespace kaon
