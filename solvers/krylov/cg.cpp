// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/cg_recurrence.hpp"

#include <kaon/solvers/krylov.hpp>

namespace kaon {

namespace {

// Vectors read and written in an iteration beside one application of A, or one each of M and M^dag:
//   w = A p, <p, A p>, or w = M p, |p|^2   0, 0
//   r -= alpha w, |r|^2, <r, change>       2, 1
//   z = r, or z = M^dag r                  0, 0
//   x += alpha p, p = z + beta p           3, 2   in all 5 read, 3 written
/// CG, or CGNE with the adjoint of M.
template <class T, class S>
SolveResult conjugate_gradients(detail::SolveState<T, S>& state, const LinearOperator<S>& inner,
                                const Adjointable<S>* adjoint) {
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), adjoint == nullptr ? 3 : 4);
  SpinorField<S>&r = fields[0], &p = fields[1], &w = fields[2], &z = fields[adjoint == nullptr ? 0 : 3];
  detail::CgRecurrence<T, S> recurrence{state, inner, adjoint, x, r, p, w, z};
  auto& next = recurrence.of_direction;
  const auto start = [&](int first, int count) { return recurrence.start(first, count); };
  const auto alpha_of = [&](std::size_t k) { return recurrence.alpha_of(k); };
  const auto step_of = [&](std::size_t k) { return recurrence.step_of(k); };

  state.begin_lanczos(adjoint == nullptr ? detail::ConjugateOf::matrix : detail::ConjugateOf::normal);
  const auto iterate = [&]() -> const blas::Reals& {
    state.count_applications(adjoint == nullptr ? 1 : 2);
    state.count_blas(adjoint == nullptr ? 4 + 6 + 4 : 2 + 6 + 4);

    auto of_w = next.take(state);                                   // w = A p, <p, A p>, or w = M p, |p|^2
    const blas::Scalars alpha = next.scalars(of_w, alpha_of);       // alpha = |r|^2 / <p, A p>, or |r|^2 / |p|^2
    auto of_r = detail::axpy_change(r, w, -alpha, step_of, alpha);  // r = r - alpha w, |r|^2
    return recurrence.end(of_w, alpha, of_r, [&] {
      if (adjoint != nullptr) adjoint->apply_dagger(z, r);  // z = M^dag r
      blas::cg_update(x, p, z, of_r.scalars());             // x = x + alpha p, p = z + beta p
    });
  };
  return state.run(start, iterate, w);
}

}  // namespace

template <class T, class S>
SolveResult Cg<T, S>::run(detail::SolveState<T, S>& state) const {
  return conjugate_gradients<T, S>(state, *this->inner_, nullptr);
}

template <class T, class S>
SolveResult Cgne<T, S>::run(detail::SolveState<T, S>& state) const {
  return conjugate_gradients<T, S>(state, *this->inner_, adjoint_);
}

template class Cg<double>;
template class Cg<float>;
template class Cg<half>;
template class Cg<double, float>;
template class Cg<double, half>;
template class Cg<float, half>;
template class Cgne<double>;
template class Cgne<float>;
template class Cgne<half>;
template class Cgne<double, float>;
template class Cgne<double, half>;
template class Cgne<float, half>;

}  // namespace kaon
