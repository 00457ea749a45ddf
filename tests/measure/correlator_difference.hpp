// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/test_lattices.hpp"

#include <complex>
#include <span>
#include <vector>

namespace kaon::test {

/// The largest |a - b|, relative to the largest |b|.
inline double difference_to_largest(std::span<const std::complex<double>> a, std::span<const std::complex<double>> b) {
  const std::vector left(a.begin(), a.end()), right(b.begin(), b.end());
  return largest_difference(left, right) / largest_difference(right, std::vector<std::complex<double>>(b.size()));
}

}  // namespace kaon::test
