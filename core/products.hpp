// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>

#include <cstddef>
#include <span>

namespace kaon::detail {

/// Products of which kernels have made |y|^2, <y, x>, |x|^2, <w, y>, <w, x> in this order, `count` reals for each
/// right-hand side: those that were wanted.
inline blas::Products products_of(std::span<const double> sums, std::size_t count, bool with_x, bool with_w) {
  blas::Products products;
  for (std::size_t k = 0; k < sums.size(); k += count) {
    products.y_norm2.push_back(sums[k]);
    if (with_x) products.y_x.emplace_back(sums[k + 1], sums[k + 2]);
    if (with_x) products.x_norm2.push_back(sums[k + 3]);
    if (with_w) products.w_y.emplace_back(sums[k + 4], sums[k + 5]);
    if (with_w && with_x) products.w_x.emplace_back(sums[k + 6], sums[k + 7]);
  }
  return products;
}

}  // namespace kaon::detail
