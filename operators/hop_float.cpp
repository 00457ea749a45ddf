// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/hop_kernels.hpp"

namespace kaon::detail {

template class HopTerm<float>;
template void apply_clover(SpinorField<float>&, const SpinorField<float>&, const CloverField<float>&);

}  // namespace kaon::detail
