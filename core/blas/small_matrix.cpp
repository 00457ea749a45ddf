// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/small_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaon::detail {

using Number = std::complex<double>;

SmallMatrix SmallMatrix::identity(std::size_t dimension) {
  SmallMatrix result(dimension, dimension);
  for (std::size_t i = 0; i < dimension; ++i) result(i, i) = 1.0;
  return result;
}

SmallMatrix SmallMatrix::adjoint() const {
  SmallMatrix result(columns_, rows_);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < columns_; ++j) result(j, i) = std::conj((*this)(i, j));
  }
  return result;
}

bool SmallMatrix::is_finite() const {
  return std::ranges::all_of(numbers_,
                             [](const Number& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); });
}

SmallMatrix SmallMatrix::operator-() const {
  SmallMatrix result = *this;
  for (Number& z : result.numbers_) z = -z;
  return result;
}

SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix result(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.columns(); ++k) {
      const double re = a(i, k).real(), im = a(i, k).imag();
      for (std::size_t j = 0; j < b.columns(); ++j) {  // without the look for infinities of std::complex
        const Number& z = b(k, j);
        result(i, j) += Number(re * z.real() - im * z.imag(), re * z.imag() + im * z.real());
      }
    }
  }
  return result;
}

SmallMatrix operator+(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix result = a;
  for (std::size_t k = 0; k < result.numbers_.size(); ++k) result.numbers_[k] += b.numbers_[k];
  return result;
}

SmallMatrix operator-(const SmallMatrix& a, const SmallMatrix& b) { return a + -b; }

std::optional<Cholesky> cholesky(const SmallMatrix& gram) {
  const std::size_t n = gram.rows();
  if (!gram.is_finite()) return {};
  Cholesky result{SmallMatrix(n, n)};
  SmallMatrix& s = result.triangle;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      Number sum = gram(i, j);
      for (std::size_t k = 0; k < i; ++k) sum -= std::conj(s(k, i)) * s(k, j);
      if (i < j) {
        s(i, j) = sum / s(i, i).real();
        continue;
      }
      const double whole = gram(j, j).real(), pivot = sum.real();
      if (!(pivot > std::numeric_limits<double>::epsilon() * whole)) return {};
      s(j, j) = std::sqrt(pivot);
      result.smallest_pivot = std::min(result.smallest_pivot, pivot / whole);
    }
  }
  return result;
}

SmallMatrix inverse_of_triangle(const SmallMatrix& triangle) {
  const std::size_t n = triangle.rows();
  SmallMatrix result(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    result(j, j) = 1.0 / triangle(j, j);
    for (std::size_t i = j; i-- > 0;) {
      Number sum = 0.0;
      for (std::size_t k = i + 1; k <= j; ++k) sum += triangle(i, k) * result(k, j);
      result(i, j) = -sum / triangle(i, i);
    }
  }
  return result;
}

ThinQr thin_qr(const SmallMatrix& gram, double least_pivot) {
  const std::size_t n = gram.rows();
  std::vector<double> length(n, 0.0), left(n, 0.0);  // the rest of the squared length, which is 1 at first
  for (std::size_t j = 0; j < n; ++j) {
    const double norm2 = gram(j, j).real();
    if (!(norm2 > 0.0 && std::isfinite(norm2))) continue;
    length[j] = std::sqrt(norm2);
    left[j] = 1.0;
  }
  ThinQr result;
  std::vector<std::size_t> pivots;
  SmallMatrix c(n, n);  // rows of C for columns of length one
  while (pivots.size() < n) {
    const std::size_t k = pivots.size();
    const auto p = static_cast<std::size_t>(std::ranges::max_element(left) - left.begin());
    if (!(left[p] > least_pivot)) break;
    result.smallest_pivot = std::min(result.smallest_pivot, left[p]);
    const double root = std::sqrt(left[p]);
    for (std::size_t j = 0; j < n; ++j) {
      if (length[j] == 0.0 || std::ranges::find(pivots, j) != pivots.end()) continue;
      Number sum = gram(p, j) / (length[p] * length[j]);
      for (std::size_t i = 0; i < k; ++i) sum -= std::conj(c(i, p)) * c(i, j);
      c(k, j) = j == p ? root : sum / root;
      left[j] -= std::norm(c(k, j));
    }
    left[p] = 0.0;
    pivots.push_back(p);
  }
  const std::size_t rank = pivots.size();
  SmallMatrix triangle(rank, rank);
  result.coordinates = SmallMatrix(rank, n);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j < n; ++j) result.coordinates(i, j) = c(i, j) * length[j];
    for (std::size_t j = 0; j < rank; ++j) triangle(i, j) = c(i, pivots[j]);
  }
  const SmallMatrix inverse = inverse_of_triangle(triangle);
  result.to_q = SmallMatrix(n, rank);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j < rank; ++j) result.to_q(pivots[i], j) = inverse(i, j) / length[pivots[i]];
  }
  return result;
}

}  // namespace kaon::detail
