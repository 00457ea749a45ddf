// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

// Kernels of teams of threads. A kernel is an aggregate with
//   max_team_size   threads of a team at most
//   min_teams       teams that must fit on a multiprocessor of a GPU at the same time
//   operator()(const Team& team)
//   team_bytes      optional: bytes of memory that the threads of a team share, `most_team_bytes` at most, at
//                   team_memory(team, bytes)
// and is launched by
//   launch_teams(label, execution, league size, team size, kernel)
//
// `Team` has the interface of Kokkos' teams: league_rank(), team_rank(), team_size(), team_barrier() and
// team_broadcast(value, rank). On hosts a team is one thread, for any size. Beside it there are
//   for_each_item(team, items, body)   body(item) for each of `items` items; a GPU's teams have a thread for each
//   sum_over_team(team, numbers)       sums over the team's threads, as `TeamSums`
//   teams_have_warps                   threads of a team can exchange registers, and teams start in the order of their
//                                      league ranks: kernels of several processes can then wait for each other
//
// There are two launchers. Kokkos' TeamPolicy is the general one, which hosts use. CUDA's own launch is faster
// (docs/decisions.md 8 and 14); GPUs use it unless kaon is configured with -DKAON_LAUNCHER=kokkos.

#if defined(KAON_CUDA_LAUNCHER)
#include "core/device/cuda_team.hpp"
#else
#include "core/device/kokkos_team.hpp"
#endif

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

/// Throws `Error` if kernels on the device do not receive the host's arguments. nvcc from CUDA 12.9 on and the host's
/// compiler lay out the views of Kokkos before 4.7.2 differently: kernels then read garbage after them, without
/// an error. Only a kernel can detect it. Kokkos must have been started; nothing to do on hosts.
void require_kernel_arguments();

}  // namespace kaon::detail
