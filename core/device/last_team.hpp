// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"

namespace kaon::detail {

/// Called by all threads of each of `teams` teams when they have written: true for the team that comes last, which can
/// read what all others wrote (`load_of_other_team`). `finished` is zero before and after.
KOKKOS_FORCEINLINE_FUNCTION bool is_last_team(const Team& team, int* finished, int teams) {
  Kokkos::memory_fence();
  team.team_barrier();
  bool last = false;
  if (team.team_rank() == 0) {
    last = Kokkos::atomic_fetch_add(finished, 1) == teams - 1;
    if (last) *finished = 0;
    Kokkos::memory_fence();
  }
  team.team_broadcast(last, 0);
  return last;
}

}  // namespace kaon::detail
