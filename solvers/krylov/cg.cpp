// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/cg_recurrence.hpp"

#include <kaon/solvers/cg.hpp>

namespace kaon {

// Vectors read and written in an iteration beside one application of A:
//   A p, <p, A p>                      0, 0
//   r -= alpha A p, |r|^2, <r, change> 2, 1
//   x += alpha p, p = r + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cg<T, S>::run(detail::SolveState<T, S>& state) const {
  const LinearOperator<S>& inner = *this->inner_;
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 3);
  SpinorField<S>&r = fields[0], &p = fields[1], &ap = fields[2];
  detail::CgRecurrence<T, S> recurrence{
      state, inner, nullptr, x, r, p, ap, r, detail::StepLength::y_x, {.norm = false, .x = true}};
  auto& next = recurrence.of_direction;
  const auto start = [&](int first, int count) { return recurrence.start(first, count); };
  const auto alpha_of = [&](std::size_t k) { return recurrence.alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return recurrence.step_of(k); };

  state.begin_lanczos(detail::ConjugateOf::matrix);
  const auto iterate = [&]() -> const blas::Reals& {
    state.count_applications(1);
    state.count_blas(4 + 6 + 4);

    auto of_ap = next.take(state);                                   // A p, <p, A p>
    const blas::Scalars alpha = next.scalars(of_ap, alpha_of);       // alpha = |r|^2 / <p, A p>
    auto of_r = detail::axpy_change(r, ap, -alpha, step_of, alpha);  // r = r - alpha A p, |r|^2
    return recurrence.end(of_ap, alpha, of_r, [&] {
      blas::cg_update(x, p, r, of_r.scalars());  // x = x + alpha p, p = r + beta p
    });
  };
  return state.run(start, iterate, ap);
}

template class Cg<double>;
template class Cg<float>;
template class Cg<half>;
template class Cg<double, float>;
template class Cg<double, half>;
template class Cg<float, half>;

}  // namespace kaon
