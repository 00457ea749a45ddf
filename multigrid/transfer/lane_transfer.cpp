// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/lane_transfer.hpp"

#include <algorithm>

namespace kaon::detail {
namespace {

constexpr int pack_bytes = 2 * native_lanes<float> * static_cast<int>(sizeof(float));

/// Things of a team: so many that each thread has some teams, `least` at least.
int part_of(int all, int teams, const Execution& execution, int least) {
  constexpr int teams_of_thread = 4;
  const int parts = std::max(1, teams_of_thread * execution.concurrency() / teams);
  return std::max(std::min(all, least), (all + parts - 1) / parts);
}

template <class L>
int fill(LaneTransferKernel<L>& kernel, const Aggregation& aggregation, const LaneMatrices<L>& basis,
         const SpinorField<float>& fine) {
  kernel.sites = aggregation.sites();
  kernel.basis = basis;
  kernel.fine = site_components(fine);
  kernel.right_hand_sides = fine.right_hand_sides();
  return 2 * kernel.sites.aggregates / basis.lanes;  // groups and chiralities
}

}  // namespace

template <class L>
void store_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& to, const BasisMatrices<float>& from) {
  const AggregateSites sites = aggregation.sites();
  const int rows = 2 * sites.aggregates / to.lanes * from.rows();
  Kokkos::parallel_for("kaon::store_in_lanes", Kokkos::RangePolicy<Execution>(aggregation.fine().execution(), 0, rows),
                       StoreInLanes<L>{to, from, sites.groups, column_lanes(from.vectors)});
}

template <class L>
void restrict_with(const Aggregation& aggregation, const LaneMatrices<L>& basis,
                   std::span<const RestrictTarget> targets, const SpinorField<float>& in) {
  const Execution& execution = aggregation.fine().execution();
  LaneRestrictKernel<L> kernel{};
  kernel.ranges = static_cast<int>(targets.size());
  for (std::size_t k = 0; k < targets.size(); ++k) {
    kernel.range[k] = targets[k].range;
    kernel.coarse[k] = site_components(*targets[k].out);
  }
  const int teams = fill(kernel, aggregation, basis, in) * kernel.ranges;
  const int column_bytes = std::min(kernel.right_hand_sides, lane_right_hand_sides) * pack_bytes;
  kernel.part_columns = std::min(part_of(basis.vectors, teams, execution, most_of_tile), lane_bytes / column_bytes);
  launch_teams("kaon::restrict", execution, teams * EqualParts(basis.vectors, kernel.part_columns).parts, 1, kernel);
}

template <class L>
void prolong_with(const Aggregation& aggregation, const LaneMatrices<L>& basis, SpinorField<float>& out,
                  const SpinorField<float>& in, bool add) {
  const Execution& execution = aggregation.fine().execution();
  LaneProlongKernel<L> kernel{};
  const int teams = fill(kernel, aggregation, basis, out);
  kernel.range = aggregation.sites_of(out.subset());
  kernel.coarse = site_components(in);
  kernel.add = add;
  const int bytes = basis.vectors * pack_bytes;  // of a right-hand side
  kernel.at_once = std::clamp(lane_bytes / bytes, 1, lane_right_hand_sides);
  constexpr int least_sites = 16;
  const int sites = std::max(kernel.range.count[0], kernel.range.count[1]);
  kernel.part_sites = part_of(sites, teams, execution, least_sites);
  kernel.parts = (sites + kernel.part_sites - 1) / kernel.part_sites;
  launch_teams("kaon::prolong", execution, teams * kernel.parts, 1, kernel);
}

#if !defined(KOKKOS_ENABLE_CUDA)
#define KAON_INSTANTIATE(L)                                                                                \
  template void store_in_lanes(const Aggregation&, const LaneMatrices<L>&, const BasisMatrices<float>&);   \
  template void restrict_with(const Aggregation&, const LaneMatrices<L>&, std::span<const RestrictTarget>, \
                              const SpinorField<float>&);                                                  \
  template void prolong_with(const Aggregation&, const LaneMatrices<L>&, SpinorField<float>&,              \
                             const SpinorField<float>&, bool)
KAON_INSTANTIATE(float);
KAON_INSTANTIATE(half);
#undef KAON_INSTANTIATE
#endif

}  // namespace kaon::detail
