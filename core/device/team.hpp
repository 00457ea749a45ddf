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
