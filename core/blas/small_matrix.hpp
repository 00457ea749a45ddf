// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

namespace kaon::detail {

/// A matrix of the host with as many rows and columns as a block has right-hand sides.
class SmallMatrix {
 public:
  SmallMatrix() = default;
  /// Zeros.
  SmallMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), numbers_(rows * columns) {}
  static SmallMatrix identity(std::size_t dimension);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::complex<double>& operator()(std::size_t i, std::size_t j) { return numbers_[i * columns_ + j]; }
  const std::complex<double>& operator()(std::size_t i, std::size_t j) const { return numbers_[i * columns_ + j]; }

  SmallMatrix adjoint() const;
  bool is_finite() const;

  SmallMatrix operator-() const;
  friend SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b);
  friend SmallMatrix operator+(const SmallMatrix& a, const SmallMatrix& b);
  friend SmallMatrix operator-(const SmallMatrix& a, const SmallMatrix& b);

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<std::complex<double>> numbers_;
};

/// The upper triangular S with G = S^dag S.
struct Cholesky {
  SmallMatrix triangle;  ///< S
  /// The smallest |S_jj|^2 / G_jj: the part of column j of W, W^dag W = G, that the columns before it leave.
  double smallest_pivot = 1.0;
};
/// No value unless G is finite and positive, to the rounding of double.
std::optional<Cholesky> cholesky(const SmallMatrix& gram);

/// S^-1 of an upper triangular S.
SmallMatrix inverse_of_triangle(const SmallMatrix& triangle);

/// W = Q C, with orthonormal columns Q = W A, for a W of which only G = W^dag W is known.
struct ThinQr {
  SmallMatrix to_q;         ///< A: a row for each column of W
  SmallMatrix coordinates;  ///< C: a row for each column of Q
  /// The `Cholesky::smallest_pivot` of the columns of Q.
  double smallest_pivot = 1.0;
};
/// By a Cholesky decomposition with pivots of G, scaled to columns of length one. Columns of W of which less than
/// `least_pivot` of the squared length is independent of those taken before, and columns of length zero, add no column
/// to Q; their C is their projection.
ThinQr thin_qr(const SmallMatrix& gram, double least_pivot);

}  // namespace kaon::detail
