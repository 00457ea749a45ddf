// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/blas_kernels.hpp"

namespace kaon::blas {
KAON_INSTANTIATE_BLAS(float)
}  // namespace kaon::blas
