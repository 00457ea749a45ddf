// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/near_null_vectors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/kept_fields.hpp>

#include <cmath>

namespace kaon::detail {

template <class T>
void normalize(SpinorField<T>& v) {
  blas::Reals inverse = blas::norm2(v);
  for (double& norm2 : inverse) norm2 = norm2 > 0.0 ? 1.0 / std::sqrt(norm2) : 0.0;
  blas::scale(v, inverse);
}

template <class T>
void relax(SpinorField<T>& v, const EvenOddSystem<T>& system, const LinearOperator<T>& relaxation) {
  SpinorField<T> v_p = v.parity(system.parity());
  Temporaries<T> fields(v_p.lattice(), v_p.parameters(), 2);
  SpinorField<T>&image = fields[0], &e = fields[1];
  system.apply(image, v_p);
  relaxation.apply(e, image);
  blas::Reals back = blas::axpy_norm2(v_p, e, blas::Reals(static_cast<std::size_t>(v.right_hand_sides()), -1.0));
  for (double& left : back) left = left == 0.0 ? 1.0 : 0.0;
  blas::axpy(v_p, e, back);  // e overwrote v_p above: restore it
  Temporaries<T> zero(v.lattice(), v.parameters(), 1);
  system.reconstruct(v, zero[0]);
  normalize(v);
}

template void normalize(SpinorField<double>&);
template void normalize(SpinorField<float>&);
template void relax(SpinorField<double>&, const EvenOddSystem<double>&, const LinearOperator<double>&);
template void relax(SpinorField<float>&, const EvenOddSystem<float>&, const LinearOperator<float>&);

}  // namespace kaon::detail
