// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/team.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {

void launch_host_teams(const std::string& label, const Execution& execution, int teams, int team_bytes,
                       const HostTeamKernel& kernel) {
  Kokkos::TeamPolicy<Execution, Kokkos::Schedule<Kokkos::Static>> policy(execution, teams, 1);
  if (team_bytes > 0) {
    constexpr int alignment = 64;  // which `team_bytes_of` has added
    require(team_bytes <= most_team_bytes + alignment, [&] {
      return fmt::format(
          "the kernel {} needs {} bytes of memory for a team of threads, which has {}: use fewer slices, "
          "vectors or right-hand sides",
          label, team_bytes, most_team_bytes);
    });
    policy.set_scratch_size(scratch_level, Kokkos::PerTeam(team_bytes));
  }
  Kokkos::parallel_for(label, policy, kernel);
}

}  // namespace kaon::detail
