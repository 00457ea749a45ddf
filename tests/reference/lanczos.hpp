// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "vectors.hpp"

#include <functional>

namespace kaon::reference {

/// The smallest and the largest eigenvalue of a Hermitian operator.
struct ExtremalEigenvalues {
  double smallest;
  double largest;
};

/// Extremal eigenvalues of the Hermitian A in the Krylov space of `start`, after `steps` steps of Lanczos with full
/// reorthogonalisation (fewer where the space ends before); those of the tridiagonal matrix by bisection with Sturm
/// sequences. Source: G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed., sections 8.4 and 10.1.
ExtremalEigenvalues extremal_eigenvalues(const std::function<std::vector<Complex>(const std::vector<Complex>&)>& apply,
                                         const std::vector<Complex>& start, int steps);

}  // namespace kaon::reference
