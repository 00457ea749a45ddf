// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/pending_reductions.hpp"
#include "solvers/krylov/bicgstab_recurrence.hpp"

#include <kaon/solvers/bicgstab.hpp>

namespace kaon {
namespace {

// Vectors read and written in an iteration beside two applications of M:
//   v = M p, <r0, v>                                                1, 0
//   r -= alpha v                                                    2, 1
//   t = M r, <t, r>, <r0, r>, <r0, t>                               1, 0
//   x += alpha p + omega r, r -= omega t, p = r + beta (p - omega v)   5, 3   in all 9 read, 4 written
// beta needs <r0, r> of the new r before there is one: it is <r0, r> - omega <r0, t>, and |r|^2 of the new r is
// |r|^2 - |<t, r>|^2 / |t|^2. Where that is mostly rounding, and where a reliable update is due, the last pass is two,
// 12 read and 4 written in all.
template <class T, class S>
const blas::Reals& iterate(detail::BiCgStabRecurrence<T, S>& recurrence) {
  auto& [state, inner, x, r, r0, p, v, t] = recurrence.fields;
  const auto alpha_of = [&](std::size_t k) { return recurrence.alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return recurrence.step_of(k); };

  auto of_v = recurrence.of_direction.take();  // v = M p, <r0, v>
  const bool ahead = state.can_run_ahead() && of_v.in_kernels();
  const blas::Scalars alpha = of_v.scalars(alpha_of, ahead);        // alpha = rho / <r0, v>
  blas::caxpy(r, v, -alpha);                                        // r = r - alpha v
  auto of_t = inner.apply_and_reduce(t, r, {.x = true, .w = &r0});  // t = M r
  const blas::Scalars step = of_t.scalars(step_of, ahead, alpha);   // alpha, omega, beta

  if (!ahead) recurrence.take(of_v, alpha, of_t);
  if (!ahead && state.update_due(recurrence.r_norm2)) return recurrence.update_reliably();
  blas::bicgstab_update(x, r, p, t, v, step);  // x = x + alpha p + omega r, r = r - omega t, p = r + beta (p - omega v)
  if (ahead) {
    recurrence.of_direction.begin(state);
    recurrence.take(of_v, alpha, of_t);
  }
  recurrence.finish(step);
  if (ahead) state.defer_update(recurrence.r_norm2);
  return recurrence.r_norm2;
}

}  // namespace

template <class T, class S>
SolveResult BiCgStab<T, S>::run(detail::SolveState<T, S>& state) const {
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 5);
  detail::BiCgStabRecurrence<T, S> recurrence(
      {state, *this->inner_, x, fields[0], fields[1], fields[2], fields[3], fields[4]});
  const auto start = [&](int first, int count) { return recurrence.start(first, count); };
  const auto step = [&] {
    state.count_applications(2);
    state.count_blas(6 + 4 + 6 + 18 + 8);  // as the method is written, with sums of the new r
    return iterate(recurrence);
  };
  return state.run(start, step, fields[4]);
}

template class BiCgStab<double>;
template class BiCgStab<float>;
template class BiCgStab<half>;
template class BiCgStab<double, float>;
template class BiCgStab<double, half>;
template class BiCgStab<float, half>;

}  // namespace kaon
