// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/shift_kernels.hpp"

namespace kaon::detail {
template void multi_shift_cg_steps(std::span<SpinorField<double>* const>, std::span<SpinorField<double>>,
                                   std::span<const SpinorField<double>* const>, std::span<const ShiftedStep>);
}  // namespace kaon::detail
