// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Generalised conjugate residuals of a fixed length: see gcr.cpp for the method.
#include "solvers/contract/relaxation_scalars.hpp"
#include "solvers/krylov/mr_scalars.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/gcr.hpp>

namespace kaon {

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

  const blas::Scalars one(blas::Reals(static_cast<std::size_t>(in.right_hand_sides()), 1.0));
  detail::zero_and_scale(out, r, in, one);  // x = 0, r = b
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

template void Gcr<double>::apply(SpinorField<double>&, const SpinorField<double>&) const;
template void Gcr<float>::apply(SpinorField<float>&, const SpinorField<float>&) const;
template void Gcr<half>::apply(SpinorField<half>&, const SpinorField<half>&) const;

}  // namespace kaon
