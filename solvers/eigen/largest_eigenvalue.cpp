// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/blas.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

/// The largest eigenvalue of the tridiagonal matrix with this diagonal and these numbers beside it, by bisection:
/// x lies above all eigenvalues if the pivots of T - x are all negative.
double largest_of(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  double lower = *std::max_element(diagonal.begin(), diagonal.end()), upper = lower;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double left = i > 0 ? beside[i - 1] : 0.0, right = i + 1 < diagonal.size() ? beside[i] : 0.0;
    upper = std::max(upper, diagonal[i] + std::abs(left) + std::abs(right));
  }
  for (int step = 0; step < 60; ++step) {
    const double x = 0.5 * (lower + upper);
    bool above = true;
    double pivot = -1.0;
    for (std::size_t i = 0; i < diagonal.size() && above; ++i) {
      pivot = diagonal[i] - x - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0.0);
      above = pivot < 0.0;
    }
    (above ? upper : lower) = x;
  }
  return 0.5 * (lower + upper);
}

}  // namespace

template <class T>
SpectrumEnds spectrum_ends(const LinearOperator<T>& matrix, const SpinorField<T>& start) {
  constexpr std::size_t steps = 30;
  SpinorField<T> before(start.lattice(), start.parameters()), here(start.lattice(), start.parameters()),
      next(start.lattice(), start.parameters());
  blas::copy(here, start);
  blas::scale(here, 1.0 / std::sqrt(blas::norm2(here)[0]));
  std::vector<double> diagonal, beside;
  while (diagonal.size() < steps) {
    matrix.apply(next, here);
    diagonal.push_back(blas::inner_product(here, next)[0].real());
    blas::axpy(next, here, -diagonal.back());
    if (!beside.empty()) blas::axpy(next, before, -beside.back());
    const double norm = std::sqrt(blas::norm2(next)[0]);
    if (!(norm > 1e-12 * std::abs(diagonal.back()))) break;  // an invariant space
    beside.push_back(norm);
    blas::scale(next, 1.0 / norm);
    std::swap(before, here);
    std::swap(here, next);
  }
  const double largest = largest_of(diagonal, beside);
  for (double& number : diagonal) number = -number;
  return {-largest_of(diagonal, beside), largest};
}

template <class T>
RitzPair ritz_pair(const LinearOperator<T>& matrix, const SpinorField<T>& v, SpinorField<T>& image) {
  matrix.apply(image, v);
  const double value = blas::inner_product(v, image)[0].real();
  blas::axpy(image, v, -value);
  return {value, std::sqrt(blas::norm2(image)[0])};
}

template SpectrumEnds spectrum_ends(const LinearOperator<double>&, const SpinorField<double>&);
template SpectrumEnds spectrum_ends(const LinearOperator<float>&, const SpinorField<float>&);
template RitzPair ritz_pair(const LinearOperator<double>&, const SpinorField<double>&, SpinorField<double>&);
template RitzPair ritz_pair(const LinearOperator<float>&, const SpinorField<float>&, SpinorField<float>&);

}  // namespace kaon::detail
