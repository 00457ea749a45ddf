// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

namespace kaon::detail {

/// a b: one function for links that are read in different ways, as in gauge/staples.hpp.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> product(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  return a * b;
}

}  // namespace kaon::detail
