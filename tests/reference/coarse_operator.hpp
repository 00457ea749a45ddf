// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "aggregates.hpp"
#include "wilson.hpp"

namespace kaon::reference {

/// A nearest-neighbour operator M = A - K, written as matrices on the n components of each site:
///
///   (M c)(a) = X(a) c(a) - sum_mu [ Y_{+mu}(a) c(a+mu) + Y_{-mu}(a) c(a-mu) ].
///
/// All levels of a multigrid hierarchy have this form: the Wilson family with n = 12, coarse operators with n = 2 N. In
/// a direction with extent 1, X holds everything and Y = 0. In a direction with extent 2, a+mu and a-mu are the same
/// site, which two different matrices join to a.
class CoarseOperator {
 public:
  /// The operator 0.
  CoarseOperator(const Coordinates& extents, std::size_t components);

  const Coordinates& extents() const { return extents_; }
  std::size_t components() const { return components_; }
  /// Numbers of a field.
  std::size_t size() const { return components_ * site_terms_.size(); }
  /// Position in a field of component 0 of a site.
  std::size_t offset(const Coordinates& site) const;

  /// X(a).
  Matrix& site_term(const Coordinates& site);
  const Matrix& site_term(const Coordinates& site) const;

  /// Y_{+mu}(a) for step = 1, Y_{-mu}(a) for step = -1; both with the sign of K.
  Matrix& hop(const Coordinates& site, int mu, int step);
  const Matrix& hop(const Coordinates& site, int mu, int step) const;

  /// M c.
  Spinor apply(const Spinor& c) const;
  /// X c.
  Spinor apply_site_term(const Spinor& c) const;
  /// K_{+mu} c for step = 1: Y_{+mu}(a) c(a+mu) at each site a; K_{-mu} c for step = -1.
  Spinor apply_hop(const Spinor& c, int mu, int step) const;

 private:
  Coordinates extents_;
  std::size_t components_;
  std::vector<Matrix> site_terms_;
  std::vector<Matrix> hops_;
};

/// The Wilson family in this form: X(x) the whole site term m + 1 + 3 nu/xi_0 + A(x) + i mu gamma_5,
/// Y_{+mu}(x) = (w_mu/2) (1 - g_mu) U_mu(x), Y_{-mu}(x) = (w_mu/2) (1 + g_mu) U_mu(x-mu)^dag, with boundary phases.
CoarseOperator site_matrices(const WilsonOperator& op);

/// D_c = P^dag M P by its formulas, from forward hops alone. With y = x + mu, V(x) the rows of P at x:
///
///   W_mu(a)     = sum_{x in a, y in a}     V(x)^dag K_{+mu}(x) V(y),
///   Y_{+mu}(a)  = sum_{x in a, y not in a} V(x)^dag K_{+mu}(x) V(y),    Y_{-mu}(a) = G5 Y_{+mu}(a-mu)^dag G5,
///   X(a)        = sum_{x in a} V(x)^dag A(x) V(x) - sum_mu [ W_mu(a) + G5 W_mu(a)^dag G5 ].
///
/// y wraps around the lattice: where an aggregate has the lattice's whole extent, y is always in a and Y_mu = 0. The
/// hop must be gamma5-Hermitian, K_{-mu}(y) = G5 K_{+mu}(x)^dag G5; A need not be (twisted mass).
CoarseOperator coarsen(const CoarseOperator& fine, const Prolongator& p);

/// M as a dense matrix.
Matrix dense_matrix(const CoarseOperator& op);

}  // namespace kaon::reference
