// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::detail {

/// The smallest and the largest eigenvalue of an operator.
struct SpectrumEnds {
  double smallest = 0.0, largest = 0.0;
  /// |A|
  double norm() const { return std::max(std::abs(smallest), std::abs(largest)); }
  bool finite() const { return std::isfinite(smallest) && std::isfinite(largest); }
};

/// The ends of the spectrum of a Hermitian operator, from within: those of its Lanczos matrix after 30
/// applications, from a start with some of all eigenvectors, such as a Gaussian one. To a few per cent of |A| or
/// better. Source: C. Lanczos, J. Res. Nat. Bur. Standards 45 (1950) 255.
template <class T>
SpectrumEnds spectrum_ends(const LinearOperator<T>& matrix, const SpinorField<T>& start);

/// <v, A v> of a vector of length one, and the residual |A v - <v, A v> v|.
struct RitzPair {
  double value, residual;
};

/// `image` becomes A v - <v, A v> v.
template <class T>
RitzPair ritz_pair(const LinearOperator<T>& matrix, const SpinorField<T>& v, SpinorField<T>& image);

}  // namespace kaon::detail
