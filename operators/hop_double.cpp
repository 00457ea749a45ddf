// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/hop_kernels.hpp"

namespace kaon::detail {

template class HopTerm<double>;
template void apply_clover(SpinorField<double>&, const SpinorField<double>&, const CloverField<double>&);

}  // namespace kaon::detail
