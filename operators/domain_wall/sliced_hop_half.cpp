// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/sliced_hop_launch.hpp"

namespace kaon::detail {

template void hop_through_slices(const WilsonHop<half>&, SpinorField<half>&, const SpinorField<half>&,
                                 const HopForm<half>&, const SliceMatrix<half>&, const HopApart<half>&);

}  // namespace kaon::detail
