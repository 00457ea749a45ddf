// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/richardson.hpp"

#include "core/blas/fused_updates.hpp"
#include "solvers/contract/targets.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace kaon::detail {
namespace {

using Number = std::complex<double>;

/// The polynomial p(z) = 1 - z sum_j y_j q_j(z) of degree n, q_j by Arnoldi's recurrence
///
///   h_(j+1)j q_(j+1)(z) = z q_j(z) - sum_(i<=j) h_ij q_i(z),   q_0 = 1
struct Polynomial {
  std::vector<std::vector<Number>> h;  ///< [column j][row i]
  std::vector<Number> y;

  /// w^n p(1/w), of which the zeros are inverse zeros of p.
  Number reversed(const Number& w) const {
    const std::size_t n = y.size();
    std::vector<Number> q{1.0};  // w^j q_j(1/w)
    Number sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      sum = sum * w + y[j] * q[j];
      Number next = q[j], power = w;
      for (std::size_t i = j + 1; i-- > 0; power *= w) next -= h[j][i] * power * q[i];
      q.push_back(next / h[j][j + 1]);
    }
    return std::pow(w, static_cast<int>(n)) - sum;
  }
};

/// y for which |e_0 - H y| is least, H of n columns with n + 1 rows: by Givens' rotations.
std::vector<Number> least_squares(std::vector<std::vector<Number>> h) {
  const std::size_t n = h.size();
  std::vector<Number> y(n + 1);
  y[0] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double norm = std::hypot(std::abs(h[k][k]), std::abs(h[k][k + 1]));
    const Number c = h[k][k] / norm, s = h[k][k + 1] / norm;
    const auto rotate = [&](Number& upper, Number& lower) {
      const Number rotated = std::conj(c) * upper + std::conj(s) * lower;
      lower = c * lower - s * upper;
      upper = rotated;
    };
    for (std::size_t j = k; j < n; ++j) rotate(h[j][k], h[j][k + 1]);
    rotate(y[k], y[k + 1]);
  }
  y.pop_back();
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) y[k] -= h[j][k] * y[j];
    y[k] /= h[k][k];
  }
  return y;
}

/// Inverse zeros of p, by the method of Durand and Kerner, which starts with numbers of about this size.
Weights inverse_zeros(const Polynomial& p, double size) {
  const std::size_t n = p.y.size();
  Weights w(n);
  for (std::size_t k = 0; k < n; ++k) w[k] = size * std::pow(Number(0.4, 0.9), static_cast<double>(k));
  constexpr int steps = 500;
  for (int step = 0; step < steps; ++step) {
    double change = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      Number others = 1.0;
      for (std::size_t j = 0; j < n; ++j) others *= j == k ? Number(1.0) : w[k] - w[j];
      const Number difference = p.reversed(w[k]) / others;
      w[k] -= difference;
      change = std::max(change, std::abs(difference));
      largest = std::max(largest, std::abs(w[k]));
    }
    if (!(change > 1e-14 * largest)) break;
  }
  return w;
}

/// w to 20 bits: polynomials do not need more, and sums that round differently, as on other processes, yield the same
/// number, except for the few w close to the middle of two such numbers.
Number rounded(const Number& w) {
  const int shift = 20 - std::ilogb(std::abs(w));
  return {std::ldexp(std::nearbyint(std::ldexp(w.real(), shift)), -shift),
          std::ldexp(std::nearbyint(std::ldexp(w.imag(), shift)), -shift)};
}

/// Leja's order: each as far from those before as possible, which keeps products of factors small.
void order_weights(Weights& w) {
  for (std::size_t k = 0; k < w.size(); ++k) {
    std::size_t best = k;
    double farthest = -1.0;
    for (std::size_t j = k; j < w.size(); ++j) {
      double distance = k == 0 ? 1.0 / std::abs(w[j]) : 1.0;
      for (std::size_t i = 0; i < k; ++i) distance *= std::abs(1.0 / w[j] - 1.0 / w[i]);
      if (distance > farthest) {
        farthest = distance;
        best = j;
      }
    }
    std::swap(w[k], w[best]);
  }
}

}  // namespace

template <class T>
Richardson<T>::Richardson(Ref<LinearOperator<T>> matrix, Weights weights)
    : matrix_(std::move(matrix)), weights_(std::move(weights)) {
  require(!weights_.empty(), "Richardson's method needs a weight");
}

template <class T>
void Richardson<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  const auto fields = matrix_->keep_fields(scratch_, 2, in.right_hand_sides());
  SpinorField<T>&r = fields[0], &t = fields[1];
  zero_and_scale(out, r, in, 1.0);  // x = 0, r = b
  for (std::size_t k = 0; k + 1 < weights_.size(); ++k) {
    matrix_->apply(t, r);
    scaled_mr_update(out, r, t, {weights_[k], weights_[k]});  // x = x + w r, r = r - w t
  }
  blas::caxpy(out, r, weights_.back());
}

template <class T>
Weights richardson_weights(const LinearOperator<T>& matrix, SpinorField<T>& r, int degree) {
  Temporaries<T> q(r.lattice(), r.parameters(), degree + 1);  // orthonormal, all right-hand sides as one vector
  blas::Reals inverse = norms(blas::norm2(r));
  for (double& norm : inverse) norm = 1.0 / (norm * std::sqrt(static_cast<double>(r.right_hand_sides())));
  blas::copy(q[0], r);
  blas::scale(q[0], inverse);
  Polynomial p;
  for (int j = 0; j < degree; ++j) {
    SpinorField<T>& next = q[j + 1];
    matrix.apply(next, q[j]);
    std::vector<Number>& h = p.h.emplace_back();
    for (int i = 0; i <= j; ++i) {
      const blas::Complexes products = blas::inner_product(q[i], next);
      h.push_back(std::accumulate(products.begin(), products.end(), Number(0.0)));
      blas::caxpy(next, q[i], -h.back());
    }
    const blas::Reals norm2 = blas::norm2(next);
    const double norm = std::sqrt(std::accumulate(norm2.begin(), norm2.end(), 0.0));
    h.emplace_back(norm);
    blas::scale(next, 1.0 / norm);
  }
  p.y = least_squares(p.h);
  Weights weights = inverse_zeros(p, 1.0 / std::hypot(std::abs(p.h[0][0]), std::abs(p.h[0][1])));
  for (Number& w : weights) {
    if (!is_finite(w) || w == Number(0.0)) return {};
    w = rounded(w);
  }
  order_weights(weights);
  for (const Number& w : weights) {
    matrix.apply(q[1], r);
    blas::caxpy(r, q[1], -w);
  }
  return weights;
}

template class Richardson<double>;
template class Richardson<float>;
template class Richardson<half>;
template Weights richardson_weights(const LinearOperator<double>&, SpinorField<double>&, int);
template Weights richardson_weights(const LinearOperator<float>&, SpinorField<float>&, int);

}  // namespace kaon::detail
