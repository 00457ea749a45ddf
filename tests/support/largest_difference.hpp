// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

namespace kaon::test {

/// The larger number; infinity if one is not a number, which std::max may lose.
inline double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

/// max_k |a_k - b_k|; infinity where the numbers of elements differ or one is not a number.
inline double largest_difference(const std::vector<std::complex<double>>& a,
                                 const std::vector<std::complex<double>>& b) {
  double largest = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) largest = larger(largest, std::abs(a[k] - b[k]));
  return largest;
}

}  // namespace kaon::test
