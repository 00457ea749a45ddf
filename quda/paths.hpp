// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <vector>

// Paths of links as clients give them: 0 to 3 are steps forward in x to t, 7 to 4 steps backward.

namespace kaon::quda {

struct PathsGiven {
  int count = 0;
  const int* lengths = nullptr;
  int longest = 0;
  const double* coefficients = nullptr;
};

/// The traces of closed paths of the resident links, summed over all sites, times coefficient and factor. Throws
/// `Error` for paths that kaon cannot take.
std::vector<std::complex<double>> traces_of(int** paths, const PathsGiven& given, double factor);

}  // namespace kaon::quda
