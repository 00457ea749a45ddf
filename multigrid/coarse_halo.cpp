// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse_halo.hpp"

#include "comm/halo_wait.hpp"
#include "core/device/team.hpp"
#include "core/lattice/workspace.hpp"

#include <algorithm>
#include <memory>
#include <typeinfo>

namespace kaon::detail {
namespace {

/// Copies the numbers of the sites at all faces, of some right-hand sides. A team takes some of them.
template <class T>
struct CoarseHaloPack {
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 1;
  static constexpr int numbers_of_team = 1024;

  const T* field;
  std::size_t stride;
  int numbers;  // of a site
  int sites;
  int first, right_hand_sides;
  const int* halo_sites;  // of all faces
  int first_site[faces + 1];
  T* outgoing[faces];
  HaloSignals signals;  // of the last launch

  KOKKOS_FORCEINLINE_FUNCTION int of_right_hand_side() const { return (first_site[faces] - sites) * numbers; }
  KOKKOS_FORCEINLINE_FUNCTION int teams() const {
    return (of_right_hand_side() * right_hand_sides + numbers_of_team - 1) / numbers_of_team;
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int all = of_right_hand_side();
    const int begin = team.league_rank() * numbers_of_team;
    const int end = Kokkos::min(begin + numbers_of_team, all * right_hand_sides);
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
    if (signals.finished != nullptr) signals.raise_last(team, teams());
  }
};

std::array<std::size_t, faces> face_bytes(const Lattice& lattice, const CoarseSites& sites, std::size_t site_bytes) {
  std::array<std::size_t, faces> bytes{};
  for (int face = 0; face < faces; ++face) {
    int most = 0;
    for (int parity = 0; parity < lattice.parities(); ++parity) {
      most =
          std::max(most, sites.first_halo_site(Parity{parity}, face + 1) - sites.first_halo_site(Parity{parity}, face));
    }
    bytes[static_cast<std::size_t>(face)] = static_cast<std::size_t>(most) * site_bytes;
  }
  return bytes;
}

}  // namespace

template <class T>
CoarseHalo<T>::CoarseHalo(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides)
    : exchange_(
          lattice,
          face_bytes(lattice, sites,
                     2 * sizeof(T) * static_cast<std::size_t>(components) * static_cast<std::size_t>(right_hand_sides)),
          choose_transport(lattice)) {}

template <class T>
CoarseHalo<T>& CoarseHalo<T>::of(const Lattice& lattice, const CoarseSites& sites, int components,
                                 int right_hand_sides) {
  constexpr int most_right_hand_sides = 1 << 16;
  const int number = components * most_right_hand_sides + right_hand_sides;
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(CoarseHalo<T>), number);
  if (!kept) kept = std::make_shared<CoarseHalo>(lattice, sites, components, right_hand_sides);
  return *static_cast<CoarseHalo*>(kept.get());
}

template <class T>
CoarseHaloAccess<T> CoarseHalo<T>::exchange(const CoarseSites& sites, const SpinorField<T>& field) {
  const Parity parity = parity_of(field.subset());
  CoarseHaloPack<T> pack;
  pack.field = field.data();
  pack.stride = field.right_hand_side_stride();
  pack.numbers = 2 * field.components();
  pack.sites = sites.sites();
  pack.halo_sites = sites.halo_sites(parity);
  // Hops of coarse lattices are short: where kernels raise flags, nothing is gained by an instance of its own.
  const bool raises = exchange_.works_within_kernels();
  const Execution& packing = raises ? field.lattice().execution() : exchange_.packing();
  CoarseHaloAccess<T> access;
  for (int face = 0; face < faces; ++face) {
    pack.first_site[face] = access.first_site[face] = sites.first_halo_site(parity, face);
    pack.outgoing[face] = static_cast<T*>(exchange_.outgoing(face));
  }
  pack.first_site[faces] = sites.first_halo_site(parity, faces);
  constexpr int most_items = 1 << 30;  // of a launch: the columns of matrices of a large lattice are more
  const int at_once = std::clamp(most_items / pack.of_right_hand_side(), 1, field.right_hand_sides());
  for (pack.first = 0; pack.first < field.right_hand_sides(); pack.first += at_once) {
    pack.right_hand_sides = std::min(at_once, field.right_hand_sides() - pack.first);
    if (raises && pack.first + at_once >= field.right_hand_sides()) pack.signals = exchange_.next_generation();
    launch_teams("kaon::coarse_halo_pack", packing, pack.teams(), CoarseHaloPack<T>::max_team_size, pack);
  }
  if (!raises) {
    exchange_.start();
    exchange_.finish();
  }
  for (int face = 0; face < faces; ++face) {
    const int of_face = pack.first_site[face + 1] - pack.first_site[face];
    access.stride[face] = static_cast<std::size_t>(of_face) * static_cast<std::size_t>(pack.numbers);
    access.face[face] = static_cast<const T*>(exchange_.incoming(face));
  }
  access.flags = exchange_.flags();
  return access;
}

template <class T>
CoarseHaloAccess<T> CoarseHalo<T>::exchange_and_wait(const CoarseSites& sites, const SpinorField<T>& field) {
  const CoarseHaloAccess<T> access = exchange(sites, field);
  wait_for_halos(exchange_, field.lattice().execution());
  return access;
}

template class CoarseHalo<double>;
template class CoarseHalo<float>;

}  // namespace kaon::detail
