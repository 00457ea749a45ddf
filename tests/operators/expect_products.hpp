// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/fixed_point.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

namespace kaon::test {

/// Products against others, each to `relative` of its vectors' norms.
inline void expect_products_near(const blas::Products& found, const blas::Products& expected,
                                 const blas::Reals& w_norm2, double relative, bool with_x, bool with_w) {
  ASSERT_EQ(found.y_norm2.size(), expected.y_norm2.size());
  ASSERT_EQ(found.y_x.size(), with_x ? expected.y_norm2.size() : 0u);
  ASSERT_EQ(found.x_norm2.size(), with_x ? expected.y_norm2.size() : 0u);
  ASSERT_EQ(found.w_y.size(), with_w ? expected.y_norm2.size() : 0u);
  ASSERT_EQ(found.w_x.size(), with_x && with_w ? expected.y_norm2.size() : 0u);
  for (std::size_t k = 0; k < expected.y_norm2.size(); ++k) {
    const double y = std::sqrt(expected.y_norm2[k]), w = std::sqrt(w_norm2[k]);
    EXPECT_NEAR(found.y_norm2[k], expected.y_norm2[k], 2.0 * relative * y * y);
    if (with_w) {
      EXPECT_LE(std::abs(found.w_y[k] - expected.w_y[k]), relative * w * y);
    }
    if (!with_x) continue;
    const double x = std::sqrt(expected.x_norm2[k]);
    EXPECT_LE(std::abs(found.y_x[k] - expected.y_x[k]), relative * y * x);
    EXPECT_NEAR(found.x_norm2[k], expected.x_norm2[k], relative * x * x);
    if (with_w) {
      EXPECT_LE(std::abs(found.w_x[k] - expected.w_x[k]), relative * w * x);
    }
  }
}

/// Products are those of vectors in memory, except for the rounding of a stored y, sqrt(`reals`) / 2 spacings of each
/// site's norm in 16 bits, and of the sums: those over a site are computed in the arithmetic's precision.
template <class T>
double products_rounding(int reals) {
  const double stored = std::is_same_v<T, half> ? std::sqrt(reals) * 0.5 * detail::spacing<T>() : 0.0;
  return stored + 24.0 * detail::spacing<detail::Arithmetic<T>>();
}

struct ProductsCase {
  bool dagger = false;
  double magnitude = 1.0;  ///< of the numbers of x and w
};

/// An operator has the same output with reductions as without, and the reductions are those of the fields.
template <class T>
void expect_products(const LinearOperator<T>& matrix, int right_hand_sides, double relative,
                     const ProductsCase& products = {}) {
  const auto count = static_cast<std::size_t>(right_hand_sides);
  SpinorField<T> x = matrix.make_field(right_hand_sides), w = matrix.make_field(right_hand_sides);
  SpinorField<T> y = matrix.make_field(right_hand_sides), y_alone = matrix.make_field(right_hand_sides);
  SpinorField<double> gaussian(matrix.lattice(), x.parameters());
  for (SpinorField<T>* field : {&x, &w}) {
    set_gaussian(gaussian, {.seed = field == &x ? 3u : 4u});
    blas::scale(gaussian, products.magnitude);
    blas::copy(*field, gaussian);
  }
  products.dagger ? adjointable(matrix).apply_dagger(y_alone, x) : matrix.apply(y_alone, x);
  const blas::Reals w_norm2 = blas::norm2(w);
  for (const bool with_x : {false, true}) {
    for (const bool with_w : {false, true}) {
      SCOPED_TRACE((with_x ? "with x, " : "without x, ") + std::string(with_w ? "with w" : "without w"));
      blas::set_zero(y);
      const blas::Reductions<T> wanted{.x = with_x, .w = with_w ? &w : nullptr};
      blas::PendingReductions pending = products.dagger ? adjointable(matrix).apply_dagger_and_reduce(y, x, wanted)
                                                        : matrix.apply_and_reduce(y, x, wanted);
      const blas::Products found = pending.wait();
      const blas::Products expected = blas::reduce<T>(y_alone, &x, {.x = true, .w = &w}).wait();
      blas::axpy(y, y_alone, -1.0);
      const blas::Reals difference = blas::norm2(y);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_LE(std::sqrt(difference[k]),
                  2.0 * relative * (std::sqrt(expected.y_norm2[k]) + std::sqrt(expected.x_norm2[k])));
      }
      expect_products_near(found, expected, w_norm2, relative, with_x, with_w);
    }
  }
}

}  // namespace kaon::test
