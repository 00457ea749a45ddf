// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "schur.hpp"

namespace kaon::reference {
namespace {

Spinor half(Spinor psi) {
  for (Complex& z : psi) z *= 0.5;
  return psi;
}

// (D_pq/2) A_qq^-1 (D_qp/2) psi.
Spinor twice_hopped(const WilsonOperator& op, const Spinor& psi, int parity) {
  const Spinor other = op.solve_diagonal(half(op.hop_to_parity(psi, 1 - parity)));
  return half(op.hop_to_parity(other, parity));
}

// [(D_pq/2) A_qq^-1 (D_qp/2)]^dag psi = (D_qp^dag/2) A_qq^-dag (D_pq^dag/2) psi.
Spinor twice_hopped_dagger(const WilsonOperator& op, const Spinor& psi, int parity) {
  const Spinor other = op.solve_diagonal_dagger(half(op.hop_dagger_to_parity(psi, 1 - parity)));
  return half(op.hop_dagger_to_parity(other, parity));
}

}  // namespace

Spinor schur_asymmetric(const WilsonOperator& op, const Spinor& psi, int parity) {
  const Spinor psi_p = restrict_to_parity(psi, parity, op.extents());
  return add(op.apply_diagonal(psi_p), -1.0, twice_hopped(op, psi_p, parity));
}

Spinor schur_asymmetric_dagger(const WilsonOperator& op, const Spinor& psi, int parity) {
  const Spinor psi_p = restrict_to_parity(psi, parity, op.extents());
  return add(op.apply_diagonal_dagger(psi_p), -1.0, twice_hopped_dagger(op, psi_p, parity));
}

Spinor schur_symmetric(const WilsonOperator& op, const Spinor& psi, int parity) {
  const Spinor psi_p = restrict_to_parity(psi, parity, op.extents());
  return add(psi_p, -1.0, op.solve_diagonal(twice_hopped(op, psi_p, parity)));
}

Spinor schur_symmetric_dagger(const WilsonOperator& op, const Spinor& psi, int parity) {
  const Spinor psi_p = restrict_to_parity(psi, parity, op.extents());
  return add(psi_p, -1.0, twice_hopped_dagger(op, op.solve_diagonal_dagger(psi_p), parity));
}

Spinor schur_asymmetric_source(const WilsonOperator& op, const Spinor& b, int parity) {
  const Spinor b_p = restrict_to_parity(b, parity, op.extents());
  const Spinor b_q = restrict_to_parity(b, 1 - parity, op.extents());
  return add(b_p, 0.5, op.hop_to_parity(op.solve_diagonal(b_q), parity));
}

Spinor schur_symmetric_source(const WilsonOperator& op, const Spinor& b, int parity) {
  return op.solve_diagonal(schur_asymmetric_source(op, b, parity));
}

Spinor schur_reconstruct(const WilsonOperator& op, const Spinor& x, const Spinor& b, int parity) {
  const Spinor x_p = restrict_to_parity(x, parity, op.extents());
  const Spinor b_q = restrict_to_parity(b, 1 - parity, op.extents());
  return add(x_p, 1.0, op.solve_diagonal(add(b_q, 0.5, op.hop_to_parity(x_p, 1 - parity))));
}

}  // namespace kaon::reference
