// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "coarse_operator.hpp"

namespace kaon::reference {

/// Whether every hop joins sites of opposite parity: all extents are even or 1. Extent 1 has no hops.
bool is_bipartite(const Coordinates& extents);

/// The even-odd system of one level, S x_p = s on the sites of parity p, q the other parity. With Yhat = X^-1 Y and
/// Yhat_pq the hops from q to p:
///
///   S = 1 - Yhat_pq Yhat_qp,   s = X_p^-1 b_p + Yhat_pq X_q^-1 b_q,   x_q = X_q^-1 b_q + Yhat_qp x_p.
///
/// Parity is that of the level's own coordinates. If hops join sites of equal parity (an odd extent above 1), the
/// system is that of all sites: S = X^-1 M = 1 - Yhat, s = X^-1 b, and nothing is left to reconstruct. Fields on the
/// sites of the system are full fields that vanish on the others.
class CoarseSchur {
 public:
  /// Throws std::invalid_argument where X(a) is singular.
  explicit CoarseSchur(const CoarseOperator& op, int parity = 0);

  /// M.
  const CoarseOperator& op() const { return op_; }
  /// X = 1 and Y = Yhat: the operator X^-1 M.
  const CoarseOperator& preconditioned() const { return preconditioned_; }
  /// X(a)^-1.
  const Matrix& inverse_site_term(const Coordinates& site) const;

  /// Whether a site belongs to the system.
  bool contains(const Coordinates& site) const;
  /// psi on the sites of the system, 0 elsewhere.
  Spinor own(const Spinor& psi) const;

  /// S x.
  Spinor apply(const Spinor& x) const;
  /// The source s of the system M x = b.
  Spinor prepare(const Spinor& b) const;
  /// The full solution of M x = b from its part on the sites of the system.
  Spinor reconstruct(const Spinor& x, const Spinor& b) const;
  /// X_p x_p. For a residual r = s - S x_p, X_p r is the residual b - M x of the reconstructed x, which vanishes on q.
  Spinor apply_site_term(const Spinor& x) const;

  /// S as a dense matrix on the components of its own sites, in the order of fields.
  Matrix dense_matrix() const;
  /// The numbers of a field on the system's own sites, in that order, and the field with these numbers.
  std::vector<Complex> own_components(const Spinor& x) const;
  Spinor field_of(const std::vector<Complex>& own_components) const;

 private:
  Spinor solve_site_term(const Spinor& b) const;
  // Yhat x on the sites of the system, or on the others.
  Spinor hop(const Spinor& x, bool to_own_sites) const;

  CoarseOperator op_;
  int parity_;
  CoarseOperator preconditioned_;
  std::vector<Matrix> inverse_site_terms_;
};

}  // namespace kaon::reference
