// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

#include <kaon/core/lattice.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace kaon::detail {

/// A square complex matrix in double, in the memory of the host, that can be inverted in place.
///
/// Stored as [column / 16][row][re, im][column % 16]: blocks of 16 columns, in which a row fills whole registers. Rows
/// and columns are padded to a multiple of 16; `invert` treats the padding as a diagonal matrix.
class DenseMatrix {
 public:
  static constexpr int block_columns = 16;
  static constexpr std::size_t row_doubles = 2 * block_columns;  ///< of a row of one block

  /// The matrix of zeros.
  explicit DenseMatrix(int dimension);
  /// Has the arguments of `DenseElimination`, which needs a lattice.
  DenseMatrix(const Lattice&, int dimension) : DenseMatrix(dimension) {}

  /// Elements of the matrix, for kernels.
  struct Columns {
    double* numbers;
    int dimension;
    std::size_t block_doubles;

    double* at(int row, int column) const {
      return numbers + static_cast<std::size_t>(column / block_columns) * block_doubles +
             static_cast<std::size_t>(row) * row_doubles + column % block_columns;
    }
    Complex<double> get(int row, int column) const { return {at(row, column)[0], at(row, column)[block_columns]}; }
    void set(int row, int column, const Complex<double>& value) const {
      at(row, column)[0] = value.re;
      at(row, column)[block_columns] = value.im;
    }
  };
  Columns columns() const { return {numbers_.data(), dimension_, block_doubles()}; }

  /// Replaces the matrix by its inverse, except for the order of columns (`Inverse`). Returns false for a matrix that
  /// is singular to double precision or not finite; its numbers are then undefined.
  ///
  /// Gauss-Jordan elimination with partial pivoting, in blocks of 64 columns: 8 d^3 flops, nearly all of them in
  /// products of matrices whose factors fit into the caches. Threads of the host share the work. (Higham, Accuracy and
  /// Stability of Numerical Algorithms, section 14.4: errors as those of Gaussian elimination.)
  ///
  /// Processes that all have the matrix share the columns: each receives the columns that another one has eliminated.
  /// All end with the same inverse, whose digits do not depend on their number. Collective.
  [[nodiscard]] bool invert(const Communicator& communicator = {});

  /// Elements of the inverse; valid after `invert`.
  struct Inverse {
    Columns columns;
    const int* stored_column;

    Complex<double> get(int row, int column) const { return columns.get(row, stored_column[column]); }
  };
  Inverse inverse() const { return {columns(), stored_column_.data()}; }

 private:
  int blocks() const { return rows_ / block_columns; }
  /// The first row of a block of columns.
  double* block(int number) const { return numbers_.data() + static_cast<std::size_t>(number) * block_doubles(); }
  /// The largest real or imaginary part, infinity where a number is not finite.
  double largest() const;
  std::size_t block_doubles() const { return static_cast<std::size_t>(rows_) * row_doubles; }
  /// Blocks of columns, from `begin` up to `end`.
  struct Blocks {
    int begin, end;
    bool has(int number) const { return number >= begin && number < end; }
  };
  Blocks panel(int number) const;
  /// The blocks that a process works on: whole panels.
  Blocks share(int rank, int processes) const;
  void broadcast(const Communicator& communicator, Blocks part, int root);

  bool eliminate_panel(Blocks panel, double smallest_pivot);
  bool eliminate_block(int number, double smallest_pivot);
  void exchange_rows(int a, int b);
  void gather_pivot_columns(int first_pivot, int pivots);
  void add_products(std::span<const int> numbers, int first_pivot, int pivots);

  int dimension_;
  int rows_;  // that are stored
  Blocks mine_{};
  Kokkos::View<double*, Kokkos::HostSpace> numbers_;
  std::vector<int> stored_column_;     // of the inverse
  std::vector<int> row_of_matrix_;     // that has been exchanged to each place
  std::vector<int> pivot_rows_;        // of the last panel, in their order: what rows were exchanged with
  std::vector<double> pivot_columns_;  // [row / 4][pivot][re, im][row % 4]
};

}  // namespace kaon::detail
