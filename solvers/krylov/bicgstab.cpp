// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/bicgstab_recurrence.hpp"

#include <kaon/solvers/krylov.hpp>

namespace kaon {
// Vectors read and written in an iteration beside two applications of M:
//   v = M p, <r0, v>                                                1, 0
//   r -= alpha v                                                    2, 1
//   t = M r, <t, r>, <r0, r>, <r0, t>                               1, 0
//   x += alpha p + omega r, r -= omega t, p = r + beta (p - omega v)   5, 3   in all 9 read, 4 written
// beta needs <r0, r> of the new r before there is one: it is <r0, r> - omega <r0, t>, and |r|^2 of the new r is
// |r|^2 - |<t, r>|^2 / |t|^2. If that is mostly rounding, or if a reliable update is due, the last pass is two, with 12
// read and 4 written in total.
template <class T, class S>
SolveResult BiCgStab<T, S>::run(detail::SolveState<T, S>& state) const {
  const LinearOperator<S>& inner = *this->inner_;
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 5);
  SpinorField<S>&r = fields[0], &r0 = fields[1], &p = fields[2], &v = fields[3], &t = fields[4];
  detail::BiCgStabRecurrence<T, S> recurrence({state, inner, x, r, r0, p, v, t});
  auto& next = recurrence.of_direction;
  const auto start = [&](int first, int count) { return recurrence.start(first, count); };
  const auto alpha_of = [&](std::size_t k) { return recurrence.alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return recurrence.step_of(k); };

  const auto iterate = [&]() -> const blas::Reals& {
    state.count_applications(2);
    state.count_blas(6 + 4 + 6 + 18 + 8);  // as the method is written, with sums of the new r

    auto of_v = next.take(state);                                     // v = M p, <r0, v>
    const blas::Scalars alpha = next.scalars(of_v, alpha_of);         // alpha = rho / <r0, v>
    blas::caxpy(r, v, -alpha);                                        // r = r - alpha v
    auto of_t = inner.apply_and_reduce(t, r, {.x = true, .w = &r0});  // t = M r
    const blas::Scalars step = next.scalars(of_t, step_of, alpha);    // alpha, omega, beta
    return recurrence.end(of_v, alpha, of_t, step, [&] {
      // x = x + alpha p + omega r, r = r - omega t, p = r + beta (p - omega v)
      blas::bicgstab_update(x, r, p, t, v, step);
    });
  };
  return state.run(start, iterate, t);
}

template class BiCgStab<double>;
template class BiCgStab<float>;
template class BiCgStab<half>;
template class BiCgStab<double, float>;
template class BiCgStab<double, half>;
template class BiCgStab<float, half>;

}  // namespace kaon
