// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "vectors.hpp"

namespace kaon::reference {

/// A dense matrix of any shape, [row][column].
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Complex> elements;

  Matrix() = default;
  /// The matrix 0.
  Matrix(std::size_t rows_, std::size_t columns_) : rows(rows_), columns(columns_), elements(rows_ * columns_) {}

  Complex& operator()(std::size_t row, std::size_t column) { return elements[columns * row + column]; }
  const Complex& operator()(std::size_t row, std::size_t column) const { return elements[columns * row + column]; }
};

Matrix identity_matrix(std::size_t size);
Matrix operator*(const Matrix& a, const Matrix& b);
Matrix operator+(const Matrix& a, const Matrix& b);
Matrix operator-(const Matrix& a, const Matrix& b);
Matrix operator*(Complex a, const Matrix& b);
Matrix dagger(const Matrix& a);

/// a^-1 by Gauss-Jordan elimination with partial pivoting. Throws std::invalid_argument where a pivot is 0.
Matrix inverse(Matrix a);

/// det a by Laplace's expansion: a small one.
Complex determinant(const Matrix& a);

/// Largest |a_ij - b_ij|.
double max_difference(const Matrix& a, const Matrix& b);

/// a times the `a.columns` numbers from v on, added to the `a.rows` numbers from result on.
void add_product(const Matrix& a, const Complex* v, Complex* result);

/// G5 a G5 with G5 = diag(+1, .., -1, ..), +1 on the first half of the rows and of the columns.
Matrix gamma5_conjugate(Matrix a);

/// A linear map of vectors.
using LinearMap = std::function<std::vector<Complex>(const std::vector<Complex>&)>;

/// The matrix of a linear map of vectors of `size` numbers: column j is the image of the unit vector e_j.
Matrix matrix_of(const LinearMap& map, std::size_t size);

}  // namespace kaon::reference
