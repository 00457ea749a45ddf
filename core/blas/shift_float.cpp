// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/shift_kernels.hpp"

namespace kaon::detail {
template void multi_shift_cg_steps(std::span<SpinorField<float>* const>, std::span<SpinorField<float>>,
                                   std::span<const SpinorField<float>* const>, std::span<const ShiftedStep>);
}  // namespace kaon::detail
