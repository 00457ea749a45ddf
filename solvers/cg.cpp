// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/solve_state.hpp"

#include <kaon/solvers/cg.hpp>

namespace kaon {

// Vectors read and written in an iteration beside one application of A:
//   A p, <p, A p>                      0, 0
//   r -= alpha A p, |r|^2              2, 1
//   x += alpha p, p = r + beta p       3, 2   in all 5 read, 3 written
template <class T, class S>
SolveResult Cg<T, S>::solve(SpinorField<T>& x_outer, const SpinorField<T>& b,
                            std::span<const double> residual_norms) const {
  detail::SolveState<T, S> state(matrix_, x_outer, b, parameters_, residual_norms);
  const std::size_t n = state.size();
  const int right_hand_sides = b.right_hand_sides();
  SpinorField<S>& x = state.solution();
  detail::Temporaries<S> fields(b.lattice(), b.parameters(), 3);
  SpinorField<S>&r = fields[0], &p = fields[1], &ap = fields[2];
  blas::Reals r_norm2(n), alpha(n), minus_alpha(n), beta(n);

  // r = p = b - A x
  const auto start = [&](int first, int count) {
    SpinorField<S> r_k = r.range(first, count);
    SpinorField<S> p_k = p.range(first, count);
    const blas::Reals norm2 = state.residual(r_k, first);
    blas::copy(p_k, r_k);
    for (std::size_t k = 0; k < norm2.size(); ++k) r_norm2[static_cast<std::size_t>(first) + k] = norm2[k];
    return norm2;
  };
  state.begin(start(0, right_hand_sides));

  do {
    while (state.any_active()) {
      state.restart(start);

      const blas::Complexes p_ap = inner_.apply_with_products(ap, p, {.with_x = true, .y_norm2 = false}).y_x;
      for (std::size_t k = 0; k < n; ++k) {
        alpha[k] = 0.0;
        if (!detail::is_finite(p_ap[k])) {
          state.quarantine(k, {&p, &ap, &r});
        } else if (!state.active(k)) {
          continue;
        } else if (p_ap[k].real() <= 0.0) {
          state.stop(k, SolveStatus::breakdown);  // A is not positive
        } else {
          alpha[k] = r_norm2[k] / p_ap[k].real();  // alpha = |r|^2 / <p, A p>
        }
      }
      for (std::size_t k = 0; k < n; ++k) minus_alpha[k] = -alpha[k];
      blas::Reals norm2 = blas::axpy_norm2(r, ap, minus_alpha);  // r = r - alpha A p
      if (state.renew_if_due(r, norm2, p, alpha)) detail::make_orthogonal(p, r, norm2);
      for (std::size_t k = 0; k < n; ++k) {
        beta[k] = state.active(k) ? norm2[k] / r_norm2[k] : 0.0;  // beta = |r|^2 new / old
        r_norm2[k] = norm2[k];
      }
      blas::advance(x, p, r, alpha, beta);  // x = x + alpha p, p = r + beta p

      state.count_applications(1);
      state.count_blas(4 + 4 + 4);
      state.record(norm2);
    }
  } while (state.check_true_residuals(ap));
  return state.finish();
}

template class Cg<double>;
template class Cg<float>;
template class Cg<half>;
template class Cg<double, float>;
template class Cg<double, half>;
template class Cg<float, half>;

}  // namespace kaon
