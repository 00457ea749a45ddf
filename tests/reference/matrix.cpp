// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "matrix.hpp"

#include "tests/support/largest_difference.hpp"

#include <stdexcept>

namespace kaon::reference {

Matrix identity_matrix(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) result(i, i) = 1.0;
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k) {
      if (a(i, k) == 0.0) continue;  // half of a prolongator, three quarters of a hop
      for (std::size_t j = 0; j < b.columns; ++j) result(i, j) += a(i, k) * b(k, j);
    }
  return result;
}

Matrix operator+(const Matrix& a, const Matrix& b) {
  Matrix result = a;
  result.elements = add(a.elements, 1.0, b.elements);
  return result;
}

Matrix operator-(const Matrix& a, const Matrix& b) {
  Matrix result = a;
  result.elements = add(a.elements, -1.0, b.elements);
  return result;
}

Matrix operator*(Complex a, const Matrix& b) {
  Matrix result = b;
  for (Complex& element : result.elements) element *= a;
  return result;
}

Matrix dagger(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) result(j, i) = std::conj(a(i, j));
  return result;
}

Complex determinant(const Matrix& a) {
  if (a.rows == 0) return 1.0;
  Complex sum = 0.0;
  for (std::size_t left_out = 0; left_out < a.columns; ++left_out) {
    Matrix minor(a.rows - 1, a.columns - 1);
    for (std::size_t row = 1; row < a.rows; ++row) {
      for (std::size_t column = 0; column < a.columns; ++column) {
        if (column != left_out) minor(row - 1, column - (column > left_out)) = a(row, column);
      }
    }
    sum += (left_out % 2 == 0 ? 1.0 : -1.0) * a(0, left_out) * determinant(minor);
  }
  return sum;
}

Matrix inverse(Matrix a) {
  const std::size_t n = a.rows;
  Matrix result = identity_matrix(n);
  const auto swap_rows = [&](std::size_t i, std::size_t j) {
    for (std::size_t column = 0; column < n; ++column) {
      std::swap(a(i, column), a(j, column));
      std::swap(result(i, column), result(j, column));
    }
  };
  // row i += factor (row k), of both matrices.
  const auto add_row = [&](std::size_t i, Complex factor, std::size_t k) {
    for (std::size_t column = 0; column < n; ++column) {
      a(i, column) += factor * a(k, column);
      result(i, column) += factor * result(k, column);
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(a(row, k)) > std::abs(a(pivot, k))) pivot = row;
    if (std::abs(a(pivot, k)) == 0.0) throw std::invalid_argument("inverse: the matrix is singular");
    swap_rows(k, pivot);
    add_row(k, 1.0 / a(k, k) - 1.0, k);
    for (std::size_t row = 0; row < n; ++row)
      if (row != k && a(row, k) != 0.0) add_row(row, -a(row, k), k);
  }
  return result;
}

double max_difference(const Matrix& a, const Matrix& b) {
  if (a.rows != b.rows || a.columns != b.columns) throw std::invalid_argument("max_difference: shapes differ");
  double largest = 0.0;
  for (std::size_t k = 0; k < a.elements.size(); ++k)
    largest = test::larger(largest, std::abs(a.elements[k] - b.elements[k]));
  return largest;
}

void add_product(const Matrix& a, const Complex* v, Complex* result) {
  for (std::size_t row = 0; row < a.rows; ++row) {
    Complex sum = 0.0;
    for (std::size_t column = 0; column < a.columns; ++column) sum += a(row, column) * v[column];
    result[row] += sum;
  }
}

Matrix gamma5_conjugate(Matrix a) {
  for (std::size_t row = 0; row < a.rows; ++row)
    for (std::size_t column = 0; column < a.columns; ++column)
      if ((row < a.rows / 2) != (column < a.columns / 2)) a(row, column) = -a(row, column);
  return a;
}

Matrix matrix_of(const LinearMap& map, std::size_t size) {
  Matrix result;
  for (std::size_t column = 0; column < size; ++column) {
    std::vector<Complex> unit(size);
    unit[column] = 1.0;
    const std::vector<Complex> image = map(unit);
    if (column == 0) result = Matrix(image.size(), size);
    for (std::size_t row = 0; row < image.size(); ++row) result(row, column) = image[row];
  }
  return result;
}

}  // namespace kaon::reference
