// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/small_matrix.hpp"

#include <limits>
#include <vector>

namespace kaon::detail {

/// The block tridiagonal matrix that block conjugate gradients of a Hermitian positive A compute beside x: Q^dag A Q
/// for the orthonormal blocks Q_j that residuals are made of. From the directions D_j, Q_j = D_j - D_(j-1) beta_j,
///
///   T = U^dag G U,  G_jj = D_j^dag A D_j,  U_jj = 1,  U_(j-1)j = -beta_j
///
/// With one column it is that of `LanczosMatrix`.
class BlockLanczosMatrix {
 public:
  /// Appends an iteration with G_jj^-1. `coupling` follows unless the recurrence restarts.
  void append(const SmallMatrix& inverse_gram);
  /// The beta of the next block.
  void couple(const SmallMatrix& coupling);
  /// Restarts the recurrence: the next iteration is the first one of another T.
  void restart();
  /// The lowest Ritz value, or up to 2 % above it, of this recurrence and those before its restarts; infinity without
  /// iterations.
  double lowest() const;

 private:
  std::vector<SmallMatrix> inverse_gram_, coupling_;
  double lowest_before_restart_ = std::numeric_limits<double>::infinity();
};

}  // namespace kaon::detail
