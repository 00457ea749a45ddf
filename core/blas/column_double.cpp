// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/column_kernels.hpp"

namespace kaon::detail {
KAON_INSTANTIATE_COLUMN_PRODUCTS(double)
}  // namespace kaon::detail
