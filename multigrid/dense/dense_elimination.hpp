// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/dense/column_packs.hpp"

#include <kaon/core/execution.hpp>
#include <kaon/core/lattice.hpp>

#include <cstddef>

namespace kaon::detail {

/// A square complex matrix in double in the memory of kernels, as [column][row][re, im].
struct ColumnsOfMatrix {
  double* numbers;
  int dimension;

  KOKKOS_FORCEINLINE_FUNCTION double* at(int row, int column) const {
    return numbers +
           2 * (static_cast<std::size_t>(column) * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(row));
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<double> get(int row, int column) const { return load_number(at(row, column)); }
  KOKKOS_FORCEINLINE_FUNCTION void set(int row, int column, const Complex<double>& value) const {
    *reinterpret_cast<Word<double, 1>*>(at(row, column)) = {{value.re, value.im}};
  }
};

/// Inverts a matrix in the memory of kernels by teams of threads, as `DenseMatrix` does in the host's memory. For GPUs;
/// hosts run it in tests only, because `DenseMatrix` is faster there.
class DenseElimination {
 public:
  /// A matrix that is not yet set. Kernels run on the execution-space instance of the lattice.
  DenseElimination(const Lattice& lattice, int dimension);

  int dimension() const { return dimension_; }
  ColumnsOfMatrix columns() const { return {numbers_.data(), dimension_}; }

  /// Replaces the matrix by its inverse, except for the order of columns (`Inverse`). Returns false for a matrix that
  /// is singular to double precision or not finite; its numbers are then undefined.
  ///
  /// Gauss-Jordan elimination with partial pivoting, in panels of 8 columns: 8 d^3 flops. One team eliminates a panel,
  /// whose rows fit into registers up to d = 1024 on GPUs; then one product updates all other columns. (Higham,
  /// Accuracy and Stability of Numerical Algorithms, section 14.4.)
  [[nodiscard]] bool invert(const Communicator& = {});

  /// Elements of the inverse, for kernels.
  struct Inverse {
    ColumnsOfMatrix columns;
    const int* stored_column;

    KOKKOS_FORCEINLINE_FUNCTION Complex<double> get(int row, int column) const {
      return columns.get(row, stored_column[column]);
    }
  };
  /// The inverse; valid after `invert`.
  Inverse inverse() const { return {columns(), stored_column_.data()}; }

 private:
  double largest() const;
  /// The inverse of the matrix with exchanged rows has exchanged columns.
  void order_columns(const Kokkos::View<int*, Memory>& pivot_rows);

  Lattice lattice_;
  int dimension_;
  Kokkos::View<double*, Memory> numbers_;
  Kokkos::View<int*, Memory> stored_column_;
};

}  // namespace kaon::detail
