// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/team.hpp"

namespace kaon::detail {

void launch_host_teams(const std::string& label, const Execution& execution, int teams, int team_bytes,
                       const HostTeamKernel& kernel) {
  Kokkos::TeamPolicy<Execution, Kokkos::Schedule<Kokkos::Static>> policy(execution, teams, 1);
  if (team_bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(team_bytes));
  Kokkos::parallel_for(label, policy, kernel);
}

}  // namespace kaon::detail
