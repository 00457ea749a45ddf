// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "vectors.hpp"

#include <functional>
#include <vector>

namespace kaon::reference {

/// Solutions of A X = B, and the iterations after which each column had reached the tolerance; -1 if it did not.
struct BlockSolution {
  std::vector<Spinor> x;
  std::vector<int> iterations;
};

/// Block conjugate gradients for a Hermitian positive A, from X = 0 and in double, until |b - A x| <= tolerance |b| for
/// each column by the residuals of the recurrence. Source: A. A. Dubrulle, ETNA 12 (2001) 216, BCGrQ. With
/// Gram-Schmidt in two passes for QR, and Gaussian elimination. Columns of B must be independent.
BlockSolution block_cg(const std::function<Spinor(const Spinor&)>& apply, const std::vector<Spinor>& b,
                       double tolerance, int most_iterations);

}  // namespace kaon::reference
