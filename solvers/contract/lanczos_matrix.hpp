// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

namespace kaon::detail {

/// Factors by which estimates exceed |b - M x| / s, with s the lowest singular value of M by Ritz values: for Hermitian
/// M, and for M by its normal system, whose errors reached 1.56 |b - M x| / s (docs/precision.md, "The error of the
/// answer").
inline constexpr double ritz_margin = 1.5, normal_ritz_margin = 2.0;

/// The tridiagonal matrix that conjugate gradients of a Hermitian positive A compute beside x, from their alpha and
/// beta = |next r|^2 / |r|^2 (G. Golub and C. Van Loan, Matrix Computations, section 10.2):
///
///   T = L D L^T,  D_jj = 1 / alpha_j,  L_jj = 1,  L_(j+1)j = sqrt(beta_j)
///
/// Its eigenvalues, the Ritz values, lie between those of A. The lowest one comes close to the lowest eigenvalue of A
/// when the iterations start to solve for that mode.
class LanczosMatrix {
 public:
  /// Appends an iteration. Ignores numbers that are not positive and finite.
  void append(double alpha, double beta);
  /// Restarts the recurrence: the next iteration is the first one of another T.
  void restart();
  /// The lowest Ritz value, or up to 2 % below it, of this recurrence and those before its restarts; infinity
  /// without iterations.
  double lowest() const;

 private:
  /// Whether T has an eigenvalue below `value`.
  bool has_below(double value) const;

  std::vector<double> alpha_, beta_;
  double lowest_before_restart_ = std::numeric_limits<double>::infinity();
};

}  // namespace kaon::detail
