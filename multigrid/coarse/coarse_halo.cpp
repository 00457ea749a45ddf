// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_halo.hpp"

#include "comm/halo_exchange.hpp"
#include "core/lattice/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <typeinfo>

namespace kaon::detail {
namespace {

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

int teams_for(std::int64_t numbers, int right_hand_sides) {
  constexpr std::int64_t numbers_of_team = 1024;
  return static_cast<int>((numbers * right_hand_sides + numbers_of_team - 1) / numbers_of_team);
}

}  // namespace

CoarseHalo::CoarseHalo(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides)
    : exchange_(lattice,
                face_bytes(lattice, sites,
                           2 * sizeof(float) * static_cast<std::size_t>(components) *
                               static_cast<std::size_t>(right_hand_sides)),
                choose_transport(lattice)) {}

CoarseHalo& CoarseHalo::of(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides) {
  constexpr int most_right_hand_sides = 1 << 16;
  const int number = components * most_right_hand_sides + right_hand_sides;
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(CoarseHalo), number);
  if (!kept) kept = std::make_shared<CoarseHalo>(lattice, sites, components, right_hand_sides);
  return *static_cast<CoarseHalo*>(kept.get());
}

CoarseHaloPack CoarseHalo::make_pack(const CoarseSites& sites, const SpinorField<float>& field) const {
  const Parity parity = parity_of(field.subset());
  CoarseHaloPack pack;
  pack.field = field.data();
  pack.stride = field.right_hand_side_stride();
  pack.numbers = 2 * field.components();
  pack.sites = sites.sites();
  pack.right_hand_sides = field.right_hand_sides();
  pack.halo_sites = sites.halo_sites(parity);
  for (int face = 0; face < faces; ++face) {
    pack.first_site[face] = sites.first_halo_site(parity, face);
    pack.outgoing[face] = static_cast<float*>(exchange_.outgoing(face));
  }
  pack.first_site[faces] = sites.first_halo_site(parity, faces);
  return pack;
}

CoarseHaloAccess CoarseHalo::access(const CoarseHaloPack& pack) const {
  CoarseHaloAccess access;
  for (int face = 0; face < faces; ++face) {
    const int of_face = pack.first_site[face + 1] - pack.first_site[face];
    access.first_site[face] = pack.first_site[face];
    access.stride[face] = static_cast<std::size_t>(of_face) * static_cast<std::size_t>(pack.numbers);
    access.face[face] = static_cast<const float*>(exchange_.incoming(face));
  }
  access.flags = exchange_.flags();
  return access;
}

CoarseHaloAccess CoarseHalo::exchange(const CoarseSites& sites, const SpinorField<float>& field) {
  if (!exchange_.works_within_kernels()) return launch(sites, field);
  // A team on each multiprocessor, of 2048 threads at most: all run at the same time, so that none waits for a halo
  // while another has not sent its part.
  const int most_teams = std::min(64, field.lattice().execution().concurrency() / 2048);
  CoarseHaloPack pack = make_pack(sites, field);
  pack.teams = teams_for(pack.of_right_hand_side(), field.right_hand_sides());
  if (pack.teams > most_teams) return launch(sites, field);
  pack.signals = exchange_.next_generation();
  CoarseHaloAccess access = this->access(pack);
  access.pack = pack;
  return access;
}

CoarseHaloAccess CoarseHalo::launch(const CoarseSites& sites, const SpinorField<float>& field) {
  const bool raises = exchange_.works_within_kernels();
  const Execution& packing = raises ? field.lattice().execution() : exchange_.packing();
  CoarseHaloPack pack = make_pack(sites, field);
  constexpr int most_items = 1 << 30;  // of a launch: the columns of matrices of a large lattice are more
  const int at_once = std::clamp(most_items / pack.of_right_hand_side(), 1, field.right_hand_sides());
  for (; pack.first < field.right_hand_sides(); pack.first += at_once) {
    pack.right_hand_sides = std::min(at_once, field.right_hand_sides() - pack.first);
    pack.teams = teams_for(pack.of_right_hand_side(), pack.right_hand_sides);
    if (raises && pack.first + at_once >= field.right_hand_sides()) pack.signals = exchange_.next_generation();
    launch_teams("kaon::coarse_halo_pack", packing, pack.teams, CoarseHaloPack::max_team_size, pack);
  }
  if (!raises) {
    exchange_.start();
    exchange_.finish();
  }
  return access(pack);
}

CoarseHaloAccess CoarseHalo::exchange_and_wait(const CoarseSites& sites, const SpinorField<float>& field) {
  const CoarseHaloAccess access = launch(sites, field);
  wait_for_halos(exchange_, field.lattice().execution());
  return access;
}

}  // namespace kaon::detail
