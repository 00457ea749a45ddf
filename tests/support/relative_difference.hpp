// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/largest_difference.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/spinor_field.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kaon::test {

/// |a_k - b_k| / |b_k|, the largest of all right-hand sides.
template <class T>
double relative_difference(const SpinorField<T>& a, const SpinorField<T>& b) {
  SpinorField<T> rest = blas::clone(a);
  const blas::Reals rest2 = blas::xmy_norm2(rest, b), norm2 = blas::norm2(b);
  double largest = 0.0;
  for (std::size_t k = 0; k < norm2.size(); ++k) largest = larger(largest, std::sqrt(rest2[k] / norm2[k]));
  return largest;
}

}  // namespace kaon::test
