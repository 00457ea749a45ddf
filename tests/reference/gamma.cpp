// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gamma.hpp"

#include "tests/support/largest_difference.hpp"

namespace kaon::reference {
namespace {

// [[0, upper], [lower, 0]] of 2x2 blocks.
SpinMatrix off_diagonal(const std::array<Complex, 4>& upper, Complex upper_factor, Complex lower_factor) {
  SpinMatrix result{};
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 2; ++column) {
      result[row][column + 2] = upper_factor * upper[2 * row + column];
      result[row + 2][column] = lower_factor * upper[2 * row + column];
    }
  return result;
}

}  // namespace

SpinMatrix operator*(const SpinMatrix& a, const SpinMatrix& b) {
  SpinMatrix result{};
  for (std::size_t row = 0; row < spins; ++row)
    for (std::size_t column = 0; column < spins; ++column)
      for (std::size_t k = 0; k < spins; ++k) result[row][column] += a[row][k] * b[k][column];
  return result;
}

SpinMatrix operator+(const SpinMatrix& a, const SpinMatrix& b) {
  SpinMatrix result = a;
  for (std::size_t row = 0; row < spins; ++row)
    for (std::size_t column = 0; column < spins; ++column) result[row][column] += b[row][column];
  return result;
}

SpinMatrix operator*(Complex a, const SpinMatrix& b) {
  SpinMatrix result = b;
  for (auto& row : result)
    for (Complex& element : row) element *= a;
  return result;
}

SpinMatrix dagger(const SpinMatrix& a) {
  SpinMatrix result;
  for (std::size_t row = 0; row < spins; ++row)
    for (std::size_t column = 0; column < spins; ++column) result[row][column] = std::conj(a[column][row]);
  return result;
}

SpinMatrix identity_spin_matrix() {
  SpinMatrix result{};
  for (std::size_t spin = 0; spin < spins; ++spin) result[spin][spin] = 1.0;
  return result;
}

double max_difference(const SpinMatrix& a, const SpinMatrix& b) {
  double largest = 0.0;
  for (std::size_t row = 0; row < spins; ++row)
    for (std::size_t column = 0; column < spins; ++column)
      largest = test::larger(largest, std::abs(a[row][column] - b[row][column]));
  return largest;
}

SpinMatrix gamma(int mu) {
  const std::array<Complex, 4> pauli_x{0.0, 1.0, 1.0, 0.0};
  const std::array<Complex, 4> pauli_y{0.0, -i, i, 0.0};
  const std::array<Complex, 4> pauli_z{1.0, 0.0, 0.0, -1.0};
  const std::array<Complex, 4> one{1.0, 0.0, 0.0, 1.0};
  switch (mu) {
    case 0:
      return off_diagonal(pauli_x, i, -i);
    case 1:
      return off_diagonal(pauli_y, -i, i);
    case 2:
      return off_diagonal(pauli_z, i, -i);
    default:
      return off_diagonal(one, 1.0, 1.0);
  }
}

SpinMatrix gamma5() { return gamma(0) * gamma(1) * gamma(2) * gamma(3); }

SpinMatrix sigma(int mu, int nu) {
  return 0.5 * i * (gamma(mu) * gamma(nu) + (-1.0 + 0.0 * i) * (gamma(nu) * gamma(mu)));
}

SiteVector multiply(const SpinMatrix& matrix, const SiteVector& v) {
  SiteVector result{};
  for (std::size_t row = 0; row < spins; ++row)
    for (std::size_t column = 0; column < spins; ++column) {
      if (matrix[row][column] == 0.0) continue;  // a gamma matrix has one element per row
      for (std::size_t color = 0; color < colors; ++color)
        result[colors * row + color] += matrix[row][column] * v[colors * column + color];
    }
  return result;
}

Spinor multiply(const SpinMatrix& matrix, const Spinor& psi) {
  Spinor result(psi.size());
  for (std::size_t offset = 0; offset < psi.size(); offset += site_components) {
    SiteVector v;
    std::copy_n(psi.begin() + static_cast<std::ptrdiff_t>(offset), v.size(), v.begin());
    v = multiply(matrix, v);
    std::copy(v.begin(), v.end(), result.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  return result;
}

}  // namespace kaon::reference
