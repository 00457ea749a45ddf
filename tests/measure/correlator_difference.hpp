// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/test_lattices.hpp"

#include <complex>
#include <vector>

namespace kaon::test {

/// The largest |a - b|, relative to the largest |b|.
inline double difference_to_largest(const std::vector<std::complex<double>>& a,
                                    const std::vector<std::complex<double>>& b) {
  return max_difference(a, b) / max_difference(b, std::vector<std::complex<double>>(b.size()));
}

}  // namespace kaon::test
