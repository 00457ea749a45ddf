// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>

#include <string>

namespace kaon::detail {

// Teams of Kokkos::TeamPolicy: see team.hpp.

using Team = Kokkos::TeamPolicy<Execution>::member_type;

inline constexpr bool teams_have_warps = false;
/// The level of Kokkos' scratch memory that teams share. Level 0 of a host has 32 KiB, which the numbers of a site
/// exceed where slices are many and registers are wide. Level 1 is the same kind of memory there, and Kokkos bounds it
/// by 20 MiB.
inline constexpr int scratch_level = on_device ? 0 : 1;
/// Bytes that the threads of a team share at most. Kokkos adds up to 128 for alignment.
inline constexpr int most_team_bytes = (on_device ? 48 * 1024 : 20 * 1024 * 1024) - 128;

template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_item(const Team& team, int items, const Body& body) {
  for (int item = team.team_rank(); item < items; item += team.team_size()) body(item);
}

/// The memory that the threads of a team share, of a kernel with `team_bytes`. Aligned to 64 bytes.
KOKKOS_FORCEINLINE_FUNCTION void* team_memory(const Team& team, int bytes) {
  return team.team_scratch(scratch_level).get_shmem_aligned(bytes, 64);
}

/// N sums over the threads of a team. Each thread has all of them.
template <int N>
struct TeamSums {
  double number[N] = {};

  KOKKOS_FORCEINLINE_FUNCTION double& operator[](int k) { return number[k]; }
  KOKKOS_FORCEINLINE_FUNCTION TeamSums& operator+=(const TeamSums& other) {
    for (int k = 0; k < N; ++k) number[k] += other.number[k];
    return *this;
  }
};

template <int N>
KOKKOS_INLINE_FUNCTION TeamSums<N> sum_over_team(const Team& team, const double (&mine)[N]);

/// A kernel of a host without its type: Kokkos' part of a launch is compiled once, and not for each kernel.
struct HostTeamKernel {
  const void* kernel;
  void (*call)(const void* kernel, const Team& team);

  void operator()(const Team& team) const { call(kernel, team); }
};
/// Launches it for teams that share `team_bytes`, and waits for its end, as all launches of hosts do. Throws `Error` if
/// a team cannot have so many bytes.
void launch_host_teams(const std::string& label, const Execution& execution, int teams, int team_bytes,
                       const HostTeamKernel& kernel);

/// Bytes of memory that the threads of a team share, with room to align it.
template <class Kernel>
int team_bytes_of(const Kernel& kernel) {
  if constexpr (requires { kernel.team_bytes; }) {
    return kernel.team_bytes + 64;
  } else {
    return 0;
  }
}

/// Runs `kernel(team)` for each of `teams` teams, in order with all else on `execution`.
template <class Kernel>
void launch_teams(const std::string& label, const Execution& execution, int teams, int team_size,
                  const Kernel& kernel) {
  if (teams == 0) return;
  if constexpr (on_device) {
    using Policy = Kokkos::TeamPolicy<Execution, Kokkos::Schedule<Kokkos::Static>,
                                      Kokkos::LaunchBounds<Kernel::max_team_size, Kernel::min_teams>>;
    Policy policy(execution, teams, team_size);
    policy.set_scratch_size(scratch_level, Kokkos::PerTeam(team_bytes_of(kernel)));
    // On CUDA: pass the kernel as an argument, however large it is, not through a buffer that launches wait for.
    constexpr auto light = Kokkos::Experimental::WorkItemProperty::HintLightWeight;
    Kokkos::parallel_for(label, Kokkos::Experimental::require(policy, light), kernel);
  } else {
    launch_host_teams(
        label, execution, teams, team_bytes_of(kernel),
        {&kernel, [](const void* given, const Team& team) { (*static_cast<const Kernel*>(given))(team); }});
  }
}

}  // namespace kaon::detail

/// Kokkos' start of sums of `TeamSums`.
template <int N>
struct Kokkos::reduction_identity<kaon::detail::TeamSums<N>> {
  KOKKOS_FORCEINLINE_FUNCTION static kaon::detail::TeamSums<N> sum() { return {}; }
};

namespace kaon::detail {

template <int N>
KOKKOS_INLINE_FUNCTION TeamSums<N> sum_over_team(const Team& team, const double (&mine)[N]) {
  TeamSums<N> sums;
  for (int k = 0; k < N; ++k) sums[k] = mine[k];
  team.team_reduce(Kokkos::Sum<TeamSums<N>>(sums));
  return sums;
}

}  // namespace kaon::detail
