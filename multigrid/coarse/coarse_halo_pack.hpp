// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/device/team.hpp"

#include <cstddef>

namespace kaon::detail {

/// Copies the numbers of the sites at all faces, of some right-hand sides. The first `teams` teams of a league share
/// them; the last that is done raises `signals`, if there are any.
template <class T>
struct CoarseHaloPack {
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 1;

  int teams = 0;
  const T* field = nullptr;
  std::size_t stride = 0;
  int numbers = 0;  // of a site
  int sites = 0;
  int first = 0, right_hand_sides = 0;
  const int* halo_sites = nullptr;  // of all faces
  int first_site[faces + 1] = {};
  T* outgoing[faces] = {};
  HaloSignals signals;

  KOKKOS_FORCEINLINE_FUNCTION int of_right_hand_side() const { return (first_site[faces] - sites) * numbers; }

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team) const {
    if (team.league_rank() >= teams) return;
    const int all = of_right_hand_side();
    const int share = (all * right_hand_sides + teams - 1) / teams;
    const int begin = team.league_rank() * share;
    const int end = Kokkos::min(begin + share, all * right_hand_sides);
    for (int item = begin + team.team_rank(); item < end; item += team.team_size()) {
      const int of_launch = item / all, within = item - of_launch * all;
      const int site = within / numbers, number = within - site * numbers;
      int face = 0;
      while (sites + site >= first_site[face + 1]) ++face;
      const auto rhs = static_cast<std::size_t>(first + of_launch), of_site = static_cast<std::size_t>(numbers);
      const auto sites_of_face = static_cast<std::size_t>(first_site[face + 1] - first_site[face]);
      const std::size_t offset = rhs * sites_of_face + static_cast<std::size_t>(sites + site - first_site[face]);
      outgoing[face][offset * of_site + static_cast<std::size_t>(number)] =
          field[rhs * stride + static_cast<std::size_t>(halo_sites[site]) * of_site + static_cast<std::size_t>(number)];
    }
    if (signals.finished != nullptr) signals.raise_last(team, teams);
  }
};

}  // namespace kaon::detail
