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

/// max_k |a_k - b_k|; infinity where the numbers of elements differ or one is not a number.
inline double largest_difference(const std::vector<std::complex<double>>& a,
                                 const std::vector<std::complex<double>>& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return infinity;
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(a[k] - b[k]);
    largest = difference == difference ? std::max(largest, difference) : infinity;
  }
  return largest;
}

}  // namespace kaon::test
