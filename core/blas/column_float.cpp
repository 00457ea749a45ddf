// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/column_launches.hpp"

namespace kaon::detail {
KAON_INSTANTIATE_COLUMN_PRODUCTS(float)
}  // namespace kaon::detail
