// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/eigen/symmetric_matrix.hpp"

#include <kaon/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

using Rows = std::vector<std::vector<double>>;

/// A tridiagonal matrix T with A = sum_ij T_ij q_i q_j^T, q_i the rows of `basis`.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;  // T_(k, k+1), and a zero
  Rows basis;
};

double product(const std::vector<double>& x, const std::vector<double>& y, std::size_t first) {
  double sum = 0.0;
  for (std::size_t i = first; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Householder's reflections 1 - factor v v^T, v zero up to k, take the elements of column k below its second one away.
Tridiagonal tridiagonal(Rows a) {
  const std::size_t d = a.size();
  Tridiagonal result{std::vector<double>(d), std::vector<double>(d, 0.0), Rows(d, std::vector<double>(d, 0.0))};
  for (std::size_t k = 0; k < d; ++k) result.basis[k][k] = 1.0;
  for (std::size_t k = 0; k + 2 < d; ++k) {
    std::vector<double> v(a[k].begin(), a[k].end());
    std::fill(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(k) + 1, 0.0);
    const double norm = std::sqrt(product(v, v, k + 1));
    if (norm == std::abs(v[k + 1])) continue;
    v[k + 1] += std::copysign(norm, v[k + 1]);
    const double factor = 2.0 / product(v, v, k + 1);
    // A - v w^T - w v^T with w = p - (factor/2) <v, p> v, p = factor A v
    std::vector<double> w(d);
    for (std::size_t i = k; i < d; ++i) w[i] = factor * product(a[i], v, k + 1);
    const double along = 0.5 * factor * product(v, w, k + 1);
    for (std::size_t i = k + 1; i < d; ++i) w[i] -= along * v[i];
    for (std::size_t i = k; i < d; ++i) {
      for (std::size_t j = k; j < d; ++j) a[i][j] -= v[i] * w[j] + w[i] * v[j];
    }
    // q_j - factor v_j sum_i v_i q_i for all rows j
    std::vector<double> sum(d, 0.0);
    for (std::size_t i = k + 1; i < d; ++i) {
      for (std::size_t n = 0; n < d; ++n) sum[n] += v[i] * result.basis[i][n];
    }
    for (std::size_t j = k + 1; j < d; ++j) {
      for (std::size_t n = 0; n < d; ++n) result.basis[j][n] -= factor * v[j] * sum[n];
    }
  }
  for (std::size_t k = 0; k < d; ++k) {
    result.diagonal[k] = a[k][k];
    if (k + 1 < d) result.beside[k] = a[k][k + 1];
  }
  return result;
}

/// A step of the implicit QR algorithm with Wilkinson's shift, on rows `first` to `last`: Golub and Van Loan, Matrix
/// Computations, algorithm 8.3.2.
void qr_step(Tridiagonal& t, std::size_t first, std::size_t last) {
  std::vector<double>&a = t.diagonal, &b = t.beside;
  const double half = 0.5 * (a[last - 1] - a[last]), square = b[last - 1] * b[last - 1];
  const double shift = a[last] - square / (half + std::copysign(std::hypot(half, b[last - 1]), half));
  double x = a[first] - shift, z = b[first];
  for (std::size_t k = first; k < last; ++k) {
    const double norm = std::hypot(x, z);
    const double c = norm > 0.0 ? x / norm : 1.0, s = norm > 0.0 ? -z / norm : 0.0;
    if (k > first) b[k - 1] = norm;
    const double upper = a[k], lower = a[k + 1], between = b[k];
    a[k] = c * c * upper - 2.0 * c * s * between + s * s * lower;
    a[k + 1] = s * s * upper + 2.0 * c * s * between + c * c * lower;
    b[k] = c * s * (upper - lower) + (c * c - s * s) * between;
    if (k + 1 < last) {
      x = b[k];
      z = -s * b[k + 1];
      b[k + 1] *= c;
    }
    std::vector<double>&p = t.basis[k], &q = t.basis[k + 1];
    for (std::size_t n = 0; n < p.size(); ++n) {
      const double before = p[n];
      p[n] = c * before - s * q[n];
      q[n] = s * before + c * q[n];
    }
  }
}

/// Steps until the off-diagonal elements are negligible.
void diagonalize(Tridiagonal& t) {
  if (t.diagonal.empty()) return;
  const auto negligible = [&](std::size_t k) {
    return std::abs(t.beside[k]) <=
           std::numeric_limits<double>::epsilon() * (std::abs(t.diagonal[k]) + std::abs(t.diagonal[k + 1]));
  };
  const std::size_t most_steps = 60 * t.diagonal.size();
  std::size_t steps = 0;
  for (std::size_t last = t.diagonal.size() - 1; last > 0;) {
    if (negligible(last - 1)) {
      t.beside[--last] = 0.0;
      continue;
    }
    std::size_t first = last - 1;
    while (first > 0 && !negligible(first - 1)) --first;
    require(++steps < most_steps, "the eigenvalues of a symmetric matrix were not found: its numbers are not finite");
    qr_step(t, first, last);
  }
}

}  // namespace

SymmetricMatrix::Spectrum SymmetricMatrix::spectrum() const {
  Rows rows;
  for (auto row = elements_.begin(); row != elements_.end(); row += dimension()) {
    rows.emplace_back(row, row + dimension());
  }
  Tridiagonal t = tridiagonal(std::move(rows));
  diagonalize(t);
  std::vector<std::size_t> order(dimension_);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return t.diagonal[i] < t.diagonal[j]; });
  Spectrum result;
  for (const std::size_t k : order) {
    result.values.push_back(t.diagonal[k]);
    result.vectors.push_back(std::move(t.basis[k]));
  }
  return result;
}

}  // namespace kaon::detail
