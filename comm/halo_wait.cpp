// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_wait.hpp"

#include <algorithm>
#include <iterator>

namespace kaon::detail {
namespace {

/// A thread waits for each face.
struct WaitForHalos {
  static constexpr int max_team_size = 32;
  static constexpr unsigned min_teams = 1;
  HaloFlags flags;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (int face = team.team_rank(); face < faces; face += team.team_size()) flags.wait(face);
  }
};

}  // namespace

void wait_for_halos(const HaloExchange& exchange, const Execution& execution) {
  const HaloFlags flags = exchange.flags();
  const bool none =
      std::all_of(std::begin(flags.flag), std::end(flags.flag), [](auto* flag) { return flag == nullptr; });
  if (!none) launch_teams("kaon::wait_for_halos", execution, 1, WaitForHalos::max_team_size, WaitForHalos{flags});
}

}  // namespace kaon::detail
