// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/reductions.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace kaon::detail {

/// Products of which kernels have made |y|^2, <y, x>, |x|^2, <w, y>, <w, x> in this order, `count` reals for each
/// right-hand side. `with_x` and `with_w` choose the products. Three reals are <y, w>, |y|^2.
inline blas::Products products_of(std::span<const double> sums, std::size_t count, bool with_x, bool with_w) {
  blas::Products products;
  for (std::size_t k = 0; k < sums.size(); k += count) {
    if (count == 3) {
      products.w_y.emplace_back(sums[k], -sums[k + 1]);
      products.y_norm2.push_back(sums[k + 2]);
      continue;
    }
    products.y_norm2.push_back(sums[k]);
    if (with_x) products.y_x.emplace_back(sums[k + 1], sums[k + 2]);
    if (with_x) products.x_norm2.push_back(sums[k + 3]);
    if (with_w) products.w_y.emplace_back(sums[k + 4], sums[k + 5]);
    if (with_w && with_x) products.w_x.emplace_back(sums[k + 6], sums[k + 7]);
  }
  return products;
}

/// Right-hand sides of products.
inline std::size_t count_of(const blas::Products& products) {
  return std::max({products.y_norm2.size(), products.y_x.size(), products.x_norm2.size(), products.w_y.size()});
}

/// The products of right-hand side k in the order in which kernels sum them; missing products are zero.
inline std::array<double, 8> sums_of(const blas::Products& products, std::size_t k) {
  std::array<double, 8> sums{};
  const auto set = [&](std::size_t at, const blas::Complexes& values) {
    if (values.empty()) return;
    sums[at] = values[k].real();
    sums[at + 1] = values[k].imag();
  };
  if (!products.y_norm2.empty()) sums[0] = products.y_norm2[k];
  set(1, products.y_x);
  if (!products.x_norm2.empty()) sums[3] = products.x_norm2[k];
  set(4, products.w_y);
  set(6, products.w_x);
  return sums;
}

}  // namespace kaon::detail
