// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/cg_recurrence.hpp"

#include <kaon/solvers/cg.hpp>

namespace kaon {

// Vectors read and written in an iteration beside one application each of M and M^dag:
//   w = M p, |p|^2                     0, 0
//   r -= alpha w, |r|^2, <r, change>   2, 1
//   x += alpha p, p = z + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cgne<T, S>::run(detail::SolveState<T, S>& state) const {
  const LinearOperator<S>& inner = *this->inner_;
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 4);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2], &z = fields[3];
  detail::CgRecurrence<T, S> recurrence{state,      inner, adjoint_, x, r, p, w, z, detail::StepLength::x_norm2,
                                        {.x = true}};
  auto& next = recurrence.of_direction;
  const auto start = [&](int first, int count) { return recurrence.start(first, count); };
  const auto alpha_of = [&](std::size_t k) { return recurrence.alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return recurrence.step_of(k); };

  state.begin_lanczos(detail::ConjugateOf::normal);
  const auto iterate = [&]() -> const blas::Reals& {
    state.count_applications(2);
    state.count_blas(2 + 6 + 4);

    auto of_w = next.take(state);                                   // w = M p, |p|^2
    const blas::Scalars alpha = next.scalars(of_w, alpha_of);       // alpha = |r|^2 / |p|^2
    auto of_r = detail::axpy_change(r, w, -alpha, step_of, alpha);  // r = r - alpha w, |r|^2
    return recurrence.end(of_w, alpha, of_r, [&] {
      adjoint_->apply_dagger(z, r);              // z = M^dag r
      blas::cg_update(x, p, z, of_r.scalars());  // x = x + alpha p, p = z + beta p
    });
  };
  return state.run(start, iterate, w);
}

template class Cgne<double>;
template class Cgne<float>;
template class Cgne<half>;
template class Cgne<double, float>;
template class Cgne<double, half>;
template class Cgne<float, half>;

}  // namespace kaon
