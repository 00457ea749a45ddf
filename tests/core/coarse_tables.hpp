// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/coarse_lattice.hpp"

#include <cstddef>
#include <vector>

namespace kaon::test {

/// A table of the kernels' memory on the host.
inline std::vector<int> on_host(const int* table, std::size_t count) {
  const Kokkos::View<const int*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> view(table, count);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + count};
}

/// The tables of one parity on the host.
struct Tables {
  std::vector<int> neighbors, coordinates, halo_sites;

  Tables(const detail::CoarseSites& sites, Parity parity) {
    const auto count = static_cast<std::size_t>(sites.sites());
    neighbors = on_host(sites.neighbors(parity), 8 * count);
    coordinates = on_host(sites.coordinates(parity), 4 * count);
    const int halo = sites.first_halo_site(parity, 8) - sites.sites();
    halo_sites = on_host(sites.halo_sites(parity), static_cast<std::size_t>(halo));
  }
  Coordinates site(int number) const {
    Coordinates x{};
    for (std::size_t mu = 0; mu < 4; ++mu) x[mu] = coordinates[4 * static_cast<std::size_t>(number) + mu];
    return x;
  }
};

/// Parity of the neighbours of sites.
inline Parity neighbor_parity(const Lattice& lattice, Parity parity) {
  return lattice.parities() == 2 ? opposite(parity) : parity;
}

}  // namespace kaon::test
