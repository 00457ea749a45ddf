// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/sliced_hop_launch.hpp"

namespace kaon::detail {

template void hop_through_slices(const WilsonHop<float>&, SpinorField<float>&, const SpinorField<float>&,
                                 const HopForm<float>&, const SliceMatrix<float>&, const HopApart<float>&);

}  // namespace kaon::detail
