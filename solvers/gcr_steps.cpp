// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Generalised conjugate residuals of a fixed length: see gcr.cpp for the method.
#include "core/reductions/pending_reductions.hpp"
#include "solvers/fixed_steps.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/gcr.hpp>

namespace kaon {

// Vectors read and written in a step with m directions already, beside one application each of M and K (without K,
// p = r: 1, 1):
//   <z_j, z>, |z_j|^2; z -= beta z_j, p -= beta p_j, for each j     6m, 2m
//   <z, r>, |z|^2                                                    2, 0
//   x += alpha p, r -= alpha z                                       4, 2   in the last, which needs no r, 2 and 1
// The z_j are taken one after the other (modified Gram-Schmidt): steps are few.
template <class T>
void Gcr<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  if (parameters_.steps == 0) return Solver<T>::apply(out, in);
  this->require_domain(out, in);
  const auto steps = static_cast<std::size_t>(parameters_.steps);
  provide_directions(steps, in.right_hand_sides());
  SpinorField<T>& r = matrix_->keep_fields(residual_, 1, in.right_hand_sides())[0];
  const auto projection = [](std::size_t) { return detail::Projection{}; };
  const auto relaxation = [](std::size_t) { return detail::ScaledRelaxation{.omega = 1.0}; };

  const blas::Scalars scale = detail::start_from_zero(out, r, in);  // x = 0, r = scale in
  for (std::size_t m = 0; m < steps; ++m) {
    SpinorField<T>&p = p_[m], &z = z_[m];
    precondition(p, r);    // p = K r
    matrix_->apply(z, p);  // z = M p
    for (std::size_t j = 0; j < m; ++j) {
      const blas::Scalars beta =  // <z_j, z> / |z_j|^2
          blas::reduce(z_[j], &z, blas::Reductions<T>{.x = true}).unattended_scalars(projection);
      blas::caxpy(z, z_[j], -beta);
      blas::caxpy(p, p_[j], -beta);
    }
    const blas::Scalars alpha =  // <z, r> / |z|^2
        blas::reduce(z, &r, blas::Reductions<T>{.x = true}).unattended_scalars(relaxation, scale);
    if (m + 1 < steps) {
      detail::gcr_update(out, r, p, z, alpha);  // x = x + alpha p / scale, r = r - alpha z
    } else {
      blas::caxpy(out, p, alpha);
    }
  }
}

template void Gcr<double>::apply(SpinorField<double>&, const SpinorField<double>&) const;
template void Gcr<float>::apply(SpinorField<float>&, const SpinorField<float>&) const;
template void Gcr<half>::apply(SpinorField<half>&, const SpinorField<half>&) const;

}  // namespace kaon
