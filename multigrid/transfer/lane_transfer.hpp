// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/lane_transfer_kernels.hpp"

#include <span>

namespace kaon::detail {

/// A range of sites, and the coarse field that the sums over it go to.
template <class T>
struct RestrictTarget {
  SiteRange range;
  SpinorField<T>* out;
};

/// Whether V of these aggregates can be stored as `LaneMatrices`.
template <class T>
bool lanes_hold_aggregates(const Aggregation& aggregation) {
  return aggregation.sites<T>().groups != nullptr;
}

/// to = from, which is in packs of columns.
template <class T, class L>
void store_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& to, const BasisMatrices<T>& from);

/// R in, summed over each target's range. One target or two.
template <class T, class L>
void restrict_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& basis,
                       std::span<const RestrictTarget<T>> targets, const SpinorField<T>& in);

/// out = P in, or out += P in, on the sites that `out` has.
template <class T, class L>
void prolong_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& basis, SpinorField<T>& out,
                      const SpinorField<T>& in, bool add);

}  // namespace kaon::detail
