// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/lane_transfer.hpp"

#include <algorithm>

namespace kaon::detail {
namespace {

template <class T>
constexpr int pack_bytes = 2 * native_lanes<T>* static_cast<int>(sizeof(T));

/// Things of a team: so many that each thread has some teams, `least` at least.
int part_of(int all, int teams, const Execution& execution, int least) {
  constexpr int teams_of_thread = 4;
  const int parts = std::max(1, teams_of_thread * execution.concurrency() / teams);
  return std::max(std::min(all, least), (all + parts - 1) / parts);
}

template <class T, class L>
int fill(LaneTransferKernel<T, L>& kernel, const Aggregation& aggregation, const LaneMatrices<L>& basis,
         const SpinorField<T>& fine) {
  kernel.sites = aggregation.sites<T>();
  kernel.basis = basis;
  kernel.fine = site_components(fine);
  kernel.right_hand_sides = fine.right_hand_sides();
  return 2 * kernel.sites.aggregates / basis.lanes;  // groups and chiralities
}

}  // namespace

template <class T, class L>
void store_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& to, const BasisMatrices<T>& from) {
  const AggregateSites sites = aggregation.sites<T>();
  const int rows = 2 * sites.aggregates / to.lanes * from.rows();
  Kokkos::parallel_for("kaon::store_in_lanes", Kokkos::RangePolicy<Execution>(aggregation.fine().execution(), 0, rows),
                       StoreInLanes<T, L>{to, from, sites.groups, column_lanes<T>(from.vectors)});
}

template <class T, class L>
void restrict_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& basis,
                       std::span<const RestrictTarget<T>> targets, const SpinorField<T>& in) {
  const Execution& execution = aggregation.fine().execution();
  LaneRestrictKernel<T, L> kernel{};
  kernel.ranges = static_cast<int>(targets.size());
  for (std::size_t k = 0; k < targets.size(); ++k) {
    kernel.range[k] = targets[k].range;
    kernel.coarse[k] = site_components(*targets[k].out);
  }
  const int teams = fill(kernel, aggregation, basis, in) * kernel.ranges;
  const int column_bytes = std::min(kernel.right_hand_sides, lane_right_hand_sides) * pack_bytes<T>;
  kernel.part_columns = std::min(part_of(basis.vectors, teams, execution, most_of_tile), lane_bytes / column_bytes);
  launch_teams("kaon::restrict", execution, teams * EqualParts(basis.vectors, kernel.part_columns).parts, 1, kernel);
}

template <class T, class L>
void prolong_in_lanes(const Aggregation& aggregation, const LaneMatrices<L>& basis, SpinorField<T>& out,
                      const SpinorField<T>& in, bool add) {
  const Execution& execution = aggregation.fine().execution();
  LaneProlongKernel<T, L> kernel{};
  const int teams = fill(kernel, aggregation, basis, out);
  kernel.range = aggregation.sites_of(out.subset());
  kernel.coarse = site_components(in);
  kernel.add = add;
  const int bytes = basis.vectors * pack_bytes<T>;  // of a right-hand side
  kernel.at_once = std::clamp(lane_bytes / bytes, 1, lane_right_hand_sides);
  constexpr int least_sites = 16;
  const int sites = std::max(kernel.range.count[0], kernel.range.count[1]);
  kernel.part_sites = part_of(sites, teams, execution, least_sites);
  kernel.parts = (sites + kernel.part_sites - 1) / kernel.part_sites;
  launch_teams("kaon::prolong", execution, teams * kernel.parts, 1, kernel);
}

#define KAON_INSTANTIATE(T, L)                                                                                       \
  template void store_in_lanes(const Aggregation&, const LaneMatrices<L>&, const BasisMatrices<T>&);                 \
  template void restrict_in_lanes(const Aggregation&, const LaneMatrices<L>&, std::span<const RestrictTarget<T>>,    \
                                  const SpinorField<T>&);                                                            \
  template void prolong_in_lanes(const Aggregation&, const LaneMatrices<L>&, SpinorField<T>&, const SpinorField<T>&, \
                                 bool)

#if !defined(KOKKOS_ENABLE_CUDA)
KAON_INSTANTIATE(double, double);
KAON_INSTANTIATE(float, float);
KAON_INSTANTIATE(float, half);
#endif
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
