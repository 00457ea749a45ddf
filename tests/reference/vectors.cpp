// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "vectors.hpp"

#include <utility>

namespace kaon::reference {

Spinor zero_spinor(const Coordinates& extents) {
  return Spinor(static_cast<std::size_t>(volume_of(extents)) * site_components);
}

Spinor point_source(const Coordinates& site, int spin, int color, const Coordinates& extents) {
  Spinor psi = zero_spinor(extents);
  psi[spinor_offset(site, extents) + static_cast<std::size_t>(colors * spin + color)] = 1.0;
  return psi;
}

Spinor restrict_to_parity(const Spinor& psi, int parity, const Coordinates& extents) {
  const std::size_t components = psi.size() / static_cast<std::size_t>(volume_of(extents));
  Spinor result(psi.size());
  for_each_site(extents, [&](const Coordinates& x) {
    if (parity_of(x) != parity) return;
    const std::size_t offset = components * static_cast<std::size_t>(lexicographic_index(x, extents));
    std::copy_n(&psi[offset], components, &result[offset]);
  });
  return result;
}

Complex dot(const Spinor& a, const Spinor& b) {
  Complex sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::conj(a[i]) * b[i];
  return sum;
}

double norm2(const Spinor& a) {
  double sum = 0.0;
  for (const Complex& z : a) sum += std::norm(z);
  return sum;
}

Spinor add(const Spinor& x, Complex a, const Spinor& y) {
  Spinor result = x;
  for (std::size_t i = 0; i < y.size(); ++i) result[i] += a * y[i];
  return result;
}

double relative_difference(const Spinor& a, const Spinor& b) { return std::sqrt(norm2(add(a, -1.0, b)) / norm2(b)); }

Spinor random_vector(std::size_t size, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  Spinor psi(size);
  for (Complex& z : psi) {
    const double real = normal(generator);
    z = Complex(real, normal(generator));
  }
  return psi;
}

Elimination eliminate(SiteMatrix matrix) {
  constexpr std::size_t n = site_components;
  Elimination result;
  const auto m = [&](std::size_t row, std::size_t column) -> Complex& { return matrix[n * row + column]; };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::norm(m(row, k)) > std::norm(m(pivot, k))) pivot = row;
    for (std::size_t column = 0; column < n; ++column) std::swap(m(k, column), m(pivot, column));
    result.pivots[k] = pivot;
    for (std::size_t row = k + 1; row < n; ++row) {
      const Complex factor = m(row, k) / m(k, k);
      for (std::size_t column = k; column < n; ++column) m(row, column) -= factor * m(k, column);
      m(row, k) = factor;
    }
  }
  result.factors = matrix;
  return result;
}

SiteVector solve(const Elimination& of, SiteVector b) {
  constexpr std::size_t n = site_components;
  const auto m = [&](std::size_t row, std::size_t column) { return of.factors[n * row + column]; };
  for (std::size_t k = 0; k < n; ++k) std::swap(b[k], b[of.pivots[k]]);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < row; ++column) b[row] -= m(row, column) * b[column];
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t column = row + 1; column < n; ++column) b[row] -= m(row, column) * b[column];
    b[row] /= m(row, row);
  }
  return b;
}

SiteVector multiply(const SiteMatrix& matrix, const SiteVector& v) {
  SiteVector result{};
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j) result[i] += matrix[v.size() * i + j] * v[j];
  return result;
}

SiteMatrix dagger(const SiteMatrix& matrix) {
  SiteMatrix result;
  for (std::size_t i = 0; i < site_components; ++i)
    for (std::size_t j = 0; j < site_components; ++j)
      result[site_components * i + j] = std::conj(matrix[site_components * j + i]);
  return result;
}

}  // namespace kaon::reference
