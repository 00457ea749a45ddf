// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <algorithm>
#include <string>

namespace kaon::detail {

/// Tells Kokkos to pass a functor as kernel arguments (up to 4 KiB). Otherwise one above 512 bytes travels through
/// constant memory, and the host waits for the last such kernel before it may launch the next.
using ByArgument = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// Kernel body with the call `kernel(index, first, last)`: one site of a parity (a block of W on the host), right-hand
/// sides [first, last).
template <class Kernel>
struct SiteTile {
  // Three teams to a multiprocessor leave 168 registers a thread: what the hop needs to have many loads under way.
  using Policy = Kokkos::TeamPolicy<Execution, Kokkos::LaunchBounds<128, 3>, ByArgument>;
  using Member = typename Policy::member_type;
  Kernel kernel;
  int sites;  // of one parity, in each lane
  int sites_per_team;
  int right_hand_sides;
  int teams_per_tile;  // right-hand-side groups
  int threads_per_site;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int tile = member.league_rank() / teams_per_tile;
    const int group = member.league_rank() % teams_per_tile;
    const int index = tile * sites_per_team + member.team_rank() % sites_per_team;
    const int rhs = group * threads_per_site + member.team_rank() / sites_per_team;
    if (index < sites && rhs < right_hand_sides) kernel(index, rhs, rhs + 1);
  }
};

/// One site (a block of W) with all right-hand sides, so that links are read from memory once.
template <class Kernel>
struct HostSite {
  Kernel kernel;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int index) const { kernel(index, 0, right_hand_sides); }
};

/// Runs `kernel(index, first, last)` for the sites [0, `sites`) of a parity and all right-hand sides.
///
/// On the device a team takes 128 sites with one right-hand side, or fewer sites with as many right-hand sides as make
/// up for it, which then share their links through the L1 cache. On the host a thread takes consecutive sites.
template <class Kernel>
void for_each_site(const char* label, const Execution& execution, int sites, int right_hand_sides,
                   const Kernel& kernel) {
  if constexpr (on_device) {
    constexpr int team_threads = 128;
    const int threads_per_site = std::min(right_hand_sides, 4);
    const int sites_per_team = std::max(32, team_threads / threads_per_site / 32 * 32);
    const int tiles = (sites + sites_per_team - 1) / sites_per_team;
    const int groups = (right_hand_sides + threads_per_site - 1) / threads_per_site;
    const SiteTile<Kernel> tile{kernel, sites, sites_per_team, right_hand_sides, groups, threads_per_site};
    using Policy = typename SiteTile<Kernel>::Policy;
    Kokkos::parallel_for(label, Policy(execution, tiles * groups, sites_per_team * threads_per_site), tile);
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>>(execution, 0, sites),
                         HostSite<Kernel>{kernel, right_hand_sides});
  }
}

}  // namespace kaon::detail
