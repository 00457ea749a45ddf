// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_hop_launch.hpp"

namespace kaon::detail {

LaunchShape coarse_sites_only() { return {.sites = 128, .threads_per_site = 1, .right_hand_sides = 1}; }

std::optional<LaunchShape>& forced_coarse_shape() {
  static std::optional<LaunchShape> shape;
  return shape;
}

template std::vector<LaunchShape> coarse_part_shapes<float, float>(int, int, int);
template void run_coarse_sum(std::string_view, const Lattice&, const CoarseSum<float, float>&);
template std::vector<LaunchShape> coarse_part_shapes<float, half>(int, int, int);
template void run_coarse_sum(std::string_view, const Lattice&, const CoarseSum<float, half>&);

}  // namespace kaon::detail
