// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/richardson.hpp"

#include "core/blas/fused_updates.hpp"
#include "core/fields/temporaries.hpp"
#include "solvers/targets.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kaon::detail {
namespace {

using Number = std::complex<double>;

/// x of A x = b for a small Hermitian, positive A, [row][column], by elimination.
std::vector<Number> solve_small(std::vector<std::vector<Number>> a, std::vector<Number> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const Number factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// Inverse zeros w_k of the polynomial 1 + c_1 z + ... + c_n z^n = prod_k (1 - w_k z), which are the zeros of
/// z^n + c_1 z^(n-1) + ... + c_n: by the method of Durand and Kerner.
Weights inverse_zeros(const std::vector<Number>& c) {
  const std::size_t n = c.size();
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    largest = std::max(largest, std::pow(std::abs(c[k]), 1.0 / static_cast<double>(k + 1)));
  }
  Weights w(n);
  for (std::size_t k = 0; k < n; ++k) w[k] = largest * std::pow(Number(0.4, 0.9), static_cast<double>(k));
  constexpr int steps = 500;
  for (int step = 0; step < steps; ++step) {
    double change = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      Number value = 1.0, others = 1.0;
      for (std::size_t j = 0; j < n; ++j) value = value * w[k] + c[j];
      for (std::size_t j = 0; j < n; ++j) others *= j == k ? Number(1.0) : w[k] - w[j];
      const Number difference = value / others;
      w[k] -= difference;
      change = std::max(change, std::abs(difference));
    }
    if (!(change > 1e-14 * largest)) break;
  }
  return w;
}

/// w to 20 bits: polynomials do not need more, and sums that round otherwise, as on other processes, give the same.
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
  const auto right_hand_sides = static_cast<std::size_t>(in.right_hand_sides());
  const auto fields = matrix_->keep_fields(scratch_, 2, in.right_hand_sides());
  SpinorField<T>&r = fields[0], &t = fields[1];
  zero_and_scale(out, r, in, blas::Scalars(blas::Reals(right_hand_sides, 1.0)));  // x = 0, r = b
  for (std::size_t k = 0; k + 1 < weights_.size(); ++k) {
    const blas::Scalars w(blas::Complexes(right_hand_sides, weights_[k]));
    matrix_->apply(t, r);
    scaled_mr_update(out, r, t, {w, w});  // x = x + w r, r = r - w t
  }
  blas::caxpy(out, r, blas::Complexes(right_hand_sides, weights_.back()));
}

template <class T>
Weights richardson_weights(const LinearOperator<T>& matrix, SpinorField<T>& r, int degree) {
  const auto n = static_cast<std::size_t>(degree), right_hand_sides = static_cast<std::size_t>(r.right_hand_sides());
  Temporaries<T> powers(r.lattice(), r.parameters(), n + 1);  // M^i r
  blas::copy(powers[0], r);
  for (std::size_t i = 0; i < n; ++i) matrix.apply(powers[i + 1], powers[i]);
  const blas::Reals r_norm2 = blas::norm2(r);
  const auto product = [&](std::size_t i, std::size_t j) {
    const blas::Complexes of_all = blas::inner_product(powers[i], powers[j]);
    Number sum = 0.0;
    for (std::size_t k = 0; k < right_hand_sides; ++k) sum += of_all[k] / r_norm2[k];
    return sum;
  };
  // |r + c_1 M r + ... + c_n M^n r| is least.
  std::vector<std::vector<Number>> gram(n, std::vector<Number>(n));
  std::vector<Number> right(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      gram[i][j] = product(i + 1, j + 1);
      gram[j][i] = std::conj(gram[i][j]);
    }
    right[i] = -product(i + 1, 0);
  }
  Weights weights = inverse_zeros(solve_small(gram, right));
  for (Number& w : weights) {
    if (!is_finite(w) || w == Number(0.0)) return {};
    w = rounded(w);
  }
  order_weights(weights);
  for (const Number& w : weights) {
    matrix.apply(powers[1], r);
    blas::caxpy(r, powers[1], blas::Complexes(right_hand_sides, -w));
  }
  return weights;
}

template class Richardson<double>;
template class Richardson<float>;
template class Richardson<half>;
template Weights richardson_weights(const LinearOperator<double>&, SpinorField<double>&, int);
template Weights richardson_weights(const LinearOperator<float>&, SpinorField<float>&, int);

}  // namespace kaon::detail
