// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/device/team.hpp"
#include "core/lattice/coarse_lattice.hpp"

#include <kaon/core/spinor_field.hpp>

#include <cstddef>

namespace kaon::detail {

/// Copies the numbers of the sites at all faces, of some right-hand sides. The first `teams` teams of a league share
/// them; the last that is done raises `signals`, if there are any.
struct CoarseHaloPack {
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 1;

  int teams = 0;
  const float* field = nullptr;
  std::size_t stride = 0;
  int numbers = 0;  // of a site
  int sites = 0;
  int first = 0, right_hand_sides = 0;
  const int* halo_sites = nullptr;  // of all faces
  int first_site[faces + 1] = {};
  float* outgoing[faces] = {};
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

/// Halos of a field on a coarse lattice: for each face [right-hand side][halo site][numbers of a site].
struct CoarseHaloAccess {
  const float* face[faces] = {};
  std::size_t stride[faces] = {};  ///< between right-hand sides
  int first_site[faces] = {};      ///< number of a face's first halo site
  HaloFlags flags;
  CoarseHaloPack pack;  ///< packs the neighbours' halos in the first teams of the kernel that reads this halo
};

/// Halos of fields on a coarse lattice, with n components a site and some right-hand sides: whole vectors of the
/// sites at the faces of partitioned directions, [right-hand side][halo site][numbers of a site].
class CoarseHalo {
 public:
  CoarseHalo(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides);

  /// The halo that the lattice caches; made in the first call, which is collective.
  static CoarseHalo& of(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides);

  /// Exchanges the halos of `field`, on one parity, or leaves the exchange to the kernel that reads the result
  /// (`pack`). The result is valid in kernels on the lattice's instance until the next call.
  CoarseHaloAccess exchange(const CoarseSites& sites, const SpinorField<float>& field);
  /// Exchanges for kernels that do not read all faces, and so do not wait for all flags themselves.
  CoarseHaloAccess exchange_and_wait(const CoarseSites& sites, const SpinorField<float>& field);

 private:
  CoarseHaloPack make_pack(const CoarseSites& sites, const SpinorField<float>& field) const;
  CoarseHaloAccess access(const CoarseHaloPack& pack) const;
  /// An exchange by kernels of its own.
  CoarseHaloAccess launch(const CoarseSites& sites, const SpinorField<float>& field);

  HaloExchange exchange_;
};

}  // namespace kaon::detail
