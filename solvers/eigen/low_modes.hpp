// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/operators/linear_operator.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace kaon::detail {

/// Eigenvectors v_i of a Hermitian positive operator A, as solvers use them: V = (v_1, v_2, ...) and
/// lambda_i = <v_i, A v_i>.
template <class T>
class LowModes {
 public:
  /// Throws `Error` without vectors, for a vector that is not an eigenvector of A, |A v - lambda v| > lambda / 10 plus
  /// the rounding of vectors in 16 bits, and for a lambda that is not positive.
  LowModes(const LinearOperator<T>& matrix, std::shared_ptr<const Eigenvectors<T>> eigenvectors);

  std::size_t count() const { return values_.size(); }
  /// The smallest lambda.
  double smallest() const;
  /// Whether the vectors are in 16 bits.
  bool rounded() const { return eigenvectors_->vectors.empty(); }
  /// V^dag r: [i][right-hand side]
  std::vector<blas::Complexes> parts(const SpinorField<T>& r) const;
  /// x <- x + V (lambda + shift)^-1 c for the parts c.
  void add_solution(SpinorField<T>& x, const std::vector<blas::Complexes>& parts, double shift = 0.0) const;
  /// r <- r - V c
  void take_away(SpinorField<T>& r, const std::vector<blas::Complexes>& parts) const;

 private:
  void add(SpinorField<T>& x, const std::vector<blas::Complexes>& coefficients) const;
  /// Calls body(vectors from number `first` on, first) for all, in blocks if they are rounded.
  template <class Body>
  void for_each_block(const Body& body) const;

  std::shared_ptr<const Eigenvectors<T>> eigenvectors_;
  std::vector<double> values_;
  mutable std::vector<SpinorField<T>> block_;  // of rounded vectors
};

}  // namespace kaon::detail
