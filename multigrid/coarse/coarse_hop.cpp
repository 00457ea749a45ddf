// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_hop.hpp"

namespace kaon::detail {

LaunchShape coarse_sites_only() { return {.sites = 128, .threads_per_site = 1, .right_hand_sides = 1}; }

std::optional<LaunchShape>& forced_coarse_shape() {
  static std::optional<LaunchShape> shape;
  return shape;
}

}  // namespace kaon::detail
