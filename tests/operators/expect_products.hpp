// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

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

}  // namespace kaon::test
