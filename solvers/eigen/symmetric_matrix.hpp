// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace kaon::detail {

/// A small real symmetric matrix on the host.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(int dimension)
      : dimension_(static_cast<std::size_t>(dimension)), elements_(dimension_ * dimension_, 0.0) {}

  int dimension() const { return static_cast<int>(dimension_); }
  double get(int row, int column) const { return elements_[index(row, column)]; }
  /// Sets the elements (row, column) and (column, row).
  void set(int row, int column, double value) {
    elements_[index(row, column)] = value;
    elements_[index(column, row)] = value;
  }

  /// Its first rows and columns.
  SymmetricMatrix leading(int count) const {
    SymmetricMatrix out(count);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i; ++j) out.set(i, j, get(i, j));
    }
    return out;
  }

  struct Spectrum {
    std::vector<double> values;                ///< rising
    std::vector<std::vector<double>> vectors;  ///< [eigenvalue][component], orthonormal
  };
  /// By Householder reflections to a tridiagonal matrix and implicit QR steps, some 10 dimension^3 flops. Throws
  /// `Error` for numbers that are not finite. Source: G. Golub and C. Van Loan, Matrix Computations, section 8.3.
  Spectrum spectrum() const;

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * dimension_ + static_cast<std::size_t>(column);
  }

  std::size_t dimension_;
  std::vector<double> elements_;
};

}  // namespace kaon::detail
