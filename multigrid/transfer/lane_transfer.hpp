// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/lane_transfer_kernels.hpp"

#include <span>

namespace kaon::detail {

/// A range of sites, and the coarse field that the sums over it go to.
struct RestrictTarget {
  SiteRange range;
  SpinorField<float>* out;
};

/// Whether V of these aggregates can be stored as `LaneMatrices`.
inline bool lanes_hold_aggregates(const Aggregation& aggregation) { return aggregation.sites().groups != nullptr; }

/// to = from, which is in packs of columns.
template <class L>
void store_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& to, const BasisMatrices<float>& from);

/// R in, summed over each target's range. One target or two.
template <class L>
void restrict_with(const Aggregation& aggregation, const LaneMatrices<L>& basis,
                   std::span<const RestrictTarget> targets, const SpinorField<float>& in);

/// out = P in, or out += P in, on the sites that `out` has.
template <class L>
void prolong_with(const Aggregation& aggregation, const LaneMatrices<L>& basis, SpinorField<float>& out,
                  const SpinorField<float>& in, bool add);

}  // namespace kaon::detail
