// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/parameters.hpp>

namespace kaon::detail {

/// How matrices are stored.
enum class StoredPrecision {
  half,  ///< 16-bit whole numbers, with one float scale for each matrix, or for each row of V
  field  ///< as the fields that they multiply
};

constexpr StoredPrecision stored_precision(MultigridPrecision precision) {
  return precision == MultigridPrecision::half ? StoredPrecision::half : StoredPrecision::field;
}

}  // namespace kaon::detail
