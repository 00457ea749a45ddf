// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/wilson_along_kernel.hpp"

namespace kaon::detail {

template void apply_along(const WilsonHop<double>&, SpinorField<double>&, const SpinorField<double>&, int);

}  // namespace kaon::detail
