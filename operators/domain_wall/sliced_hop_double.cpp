// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/sliced_hop_launch.hpp"

namespace kaon::detail {

template void hop_through_slices(const WilsonHop<double>&, SpinorField<double>&, const SpinorField<double>&,
                                 const HopForm<double>&, const SliceMatrix<double>&, const HopApart<double>&);

}  // namespace kaon::detail
