// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/block_blas_kernels.hpp"

namespace kaon::blas {
KAON_INSTANTIATE_BLOCK_BLAS(double)
}  // namespace kaon::blas
