// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/linear_operator.hpp>

namespace kaon::detail {

/// The largest eigenvalue of a Hermitian operator, from below: the largest one of its Lanczos matrix after `steps`
/// applications, from a start with some of all eigenvectors, such as a Gaussian one. To a few per cent or better.
/// Source: C. Lanczos, J. Res. Nat. Bur. Standards 45 (1950) 255.
template <class T>
double largest_eigenvalue(const LinearOperator<T>& matrix, const SpinorField<T>& start, int steps = 30);

}  // namespace kaon::detail
