// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/lanczos_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kaon::detail {
namespace {

/// Upper over lower bound of an eigenvalue at which bisection ends.
constexpr double precise_enough = 1.02;

}  // namespace

void LanczosMatrix::append(double alpha, double beta) {
  if (!(alpha > 0.0 && beta >= 0.0 && std::isfinite(1.0 / alpha + beta))) return;
  alpha_.push_back(alpha);
  beta_.push_back(beta);
}

void LanczosMatrix::restart() {
  lowest_before_restart_ = lowest();
  alpha_.clear();
  beta_.clear();
}

double LanczosMatrix::lowest() const {
  if (alpha_.empty()) return lowest_before_restart_;
  // The diagonal of T^-1 is c_j = alpha_j + beta_j c_(j+1), and 1 / trace(T^-1) <= lowest <= 1 / max c_j.
  double c = 0.0, trace = 0.0, largest = 0.0;
  for (std::size_t j = alpha_.size(); j-- > 0;) {
    c = alpha_[j] + beta_[j] * c;
    trace += c;
    largest = std::max(largest, c);
  }
  double lower = 1.0 / trace, upper = std::min(1.0 / largest, lowest_before_restart_);
  while (upper > precise_enough * lower) {
    const double middle = std::sqrt(lower * upper);
    (has_below(middle) ? upper : lower) = middle;
  }
  return std::min(lower, lowest_before_restart_);
}

bool LanczosMatrix::has_below(double value) const {
  // T - value = L' D' L'^T, in which D' has a negative number for each eigenvalue below `value`. Source: I. Dhillon and
  // B. Parlett, Linear Algebra Appl. 387 (2004) 1, "dstqds", which computes small eigenvalues accurately.
  double s = -value;
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    const double d = 1.0 / alpha_[j];
    const double d_shifted = d + s;
    if (!(d_shifted > 0.0)) return true;
    s = beta_[j] * s * d / d_shifted - value;
  }
  return false;
}

}  // namespace kaon::detail
