// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/block_lanczos_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

/// Iterations of the power method with T^-1 at most, and the change of the Ritz value in one at which it ends.
constexpr int most_powers = 60;
constexpr double small_change = 1e-3;

double length(const std::vector<SmallMatrix>& v) {
  double norm2 = 0.0;
  for (const SmallMatrix& part : v) {
    for (std::size_t i = 0; i < part.rows(); ++i) norm2 += std::norm(part(i, 0));
  }
  return std::sqrt(norm2);
}

}  // namespace

void BlockLanczosMatrix::append(const SmallMatrix& inverse_gram) {
  if (inverse_gram_.size() > coupling_.size()) restart();  // the last one was not coupled
  inverse_gram_.push_back(inverse_gram);
}

void BlockLanczosMatrix::couple(const SmallMatrix& coupling) { coupling_.push_back(coupling); }

void BlockLanczosMatrix::restart() {
  lowest_before_restart_ = lowest();
  inverse_gram_.clear();
  coupling_.clear();
}

double BlockLanczosMatrix::lowest() const {
  const std::size_t blocks = inverse_gram_.size();
  if (blocks == 0) return lowest_before_restart_;
  std::vector<SmallMatrix> v;
  for (const SmallMatrix& block : inverse_gram_) {
    SmallMatrix& part = v.emplace_back(block.rows(), 1);
    for (std::size_t i = 0; i < part.rows(); ++i) part(i, 0) = 1.0;
  }
  double largest = 0.0;  // eigenvalue of T^-1
  for (int power = 0; power < most_powers; ++power) {
    const double before = length(v);
    // v = U^-1 G^-1 U^-dag v
    for (std::size_t j = 1; j < blocks; ++j) v[j] = v[j] + coupling_[j - 1].adjoint() * v[j - 1];
    for (std::size_t j = 0; j < blocks; ++j) v[j] = inverse_gram_[j] * v[j];
    for (std::size_t j = blocks - 1; j-- > 0;) v[j] = v[j] + coupling_[j] * v[j + 1];
    const double after = length(v), eigenvalue = after / before;
    if (!(after > 0.0 && std::isfinite(eigenvalue))) break;
    for (SmallMatrix& part : v) {
      for (std::size_t i = 0; i < part.rows(); ++i) part(i, 0) /= after;
    }
    const double change = eigenvalue - std::exchange(largest, eigenvalue);
    if (std::abs(change) <= small_change * eigenvalue) break;
  }
  return largest > 0.0 ? std::min(lowest_before_restart_, 1.0 / largest) : lowest_before_restart_;
}

}  // namespace kaon::detail
