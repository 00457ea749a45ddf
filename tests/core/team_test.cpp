// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Teams of threads, with both launchers: sums over a team, over the teams of a kernel, and what a team passes on.
#include "core/device/team.hpp"
#include "core/device/primitives.hpp"

#include <kaon/core/execution.hpp>

#include <gtest/gtest.h>

#include <string>

namespace kaon {
namespace KAON_TEST_FILE {

constexpr int sums = 3;
constexpr int teams = 37;

KOKKOS_FUNCTION double term(int team, int item, int k) { return 1.0 + 3.0 * team + 0.5 * item * (k + 1); }

/// Sums over the items of each team; the team that comes last sums those of all.
struct SummingKernel {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 1;
  int items;
  double* of_teams;  // [team][sum]
  double* of_all;
  int* passed_on;  // of each team: the league rank that its thread 0 has broadcast, as its last thread received it
  int* finished;

  KOKKOS_FUNCTION void operator()(const detail::Team& team) const {
    double mine[sums] = {};
    detail::for_each_item(team, items, [&](const int item) {
      for (int k = 0; k < sums; ++k) mine[k] += term(team.league_rank(), item, k);
    });
    detail::TeamSums<sums> total = detail::sum_over_team(team, mine);
    for (int k = team.team_rank(); k < sums; k += team.team_size()) of_teams[team.league_rank() * sums + k] = total[k];
    int received = team.team_rank() == 0 ? team.league_rank() : -1;
    team.team_broadcast(received, 0);
    if (team.team_rank() == team.team_size() - 1) passed_on[team.league_rank()] = received;
    if (!detail::is_last_team(team, finished, teams)) return;
    for (double& number : mine) number = 0.0;
    for (int other = team.team_rank(); other < teams; other += team.team_size()) {
      for (int k = 0; k < sums; ++k) mine[k] += detail::load_of_other_team(of_teams + other * sums + k);
    }
    total = detail::sum_over_team(team, mine);
    for (int k = team.team_rank(); k < sums; k += team.team_size()) of_all[k] = total[k];
  }
};

/// Runs the kernel by `launch(execution, kernel)` twice, so that it must leave its counter at zero.
template <class Launch>
void expect_sums(int items, const Launch& launch) {
  const Execution execution;
  const Kokkos::View<double*, Memory> of_teams("of_teams", teams * sums), of_all("of_all", sums);
  const Kokkos::View<int*, Memory> passed_on("passed_on", teams), finished("finished", 1);
  const SummingKernel kernel{items, of_teams.data(), of_all.data(), passed_on.data(), finished.data()};
  launch(execution, kernel);
  Kokkos::deep_copy(execution, of_all, 0.0);
  launch(execution, kernel);
  const auto one_team = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_teams);
  const auto all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_all);
  const auto received = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), passed_on);
  for (int k = 0; k < sums; ++k) {
    double expected = 0.0;
    for (int team = 0; team < teams; ++team) {
      double of_team = 0.0;
      for (int item = 0; item < items; ++item) of_team += term(team, item, k);
      EXPECT_DOUBLE_EQ(one_team(team * sums + k), of_team) << "team " << team << ", sum " << k;
      EXPECT_EQ(received(team), team);
      expected += of_team;
    }
    EXPECT_DOUBLE_EQ(all(k), expected) << "sum " << k;
  }
}

TEST(Teams, MakeSumsOfTheirThreadsAndOfAllTeams) {
  for (const int team_size : {32, 64, 256}) {
    SCOPED_TRACE("teams of " + std::to_string(team_size));
    expect_sums(team_size, [&](const Execution& execution, const SummingKernel& kernel) {
      detail::launch_teams("kaon::test", execution, teams, team_size, kernel);
    });
  }
}

#if !defined(KAON_CUDA_LAUNCHER)
/// Hosts launch teams of one thread. Kernels are right for teams of several there too.
TEST(Teams, OfSeveralThreadsOnAHostMakeTheSameSums) {
  const int threads = Execution().concurrency();
  if (on_device || threads < 2) GTEST_SKIP() << "needs two threads of a host";
  expect_sums(7, [](const Execution& execution, const SummingKernel& kernel) {
    Kokkos::parallel_for("kaon::test", Kokkos::TeamPolicy<Execution>(execution, teams, 2), kernel);
  });
}
#endif

TEST(Teams, LaunchNothingWithoutTeams) {
  expect_sums(32, [](const Execution& execution, const SummingKernel& kernel) {
    detail::launch_teams("kaon::test", execution, 0, 32, SummingKernel{32, nullptr, nullptr, nullptr, nullptr});
    detail::launch_teams("kaon::test", execution, teams, 32, kernel);
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
