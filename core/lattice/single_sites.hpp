// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/geometry.hpp"

namespace kaon::detail {

/// Calls `kernel(x)` with the local coordinates of stored site number n, lanes fastest: neighbours in this order share
/// cache lines.
template <class Kernel>
struct SingleSites {
  SiteMap map;
  int lanes;
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(const int number) const {
    int x[4];
    coordinates(number, x);
    kernel(x);
  }
  template <class Value>
  KOKKOS_FUNCTION void operator()(const int number, Value& value) const {
    int x[4];
    coordinates(number, x);
    kernel(x, value);
  }

 private:
  KOKKOS_FUNCTION void coordinates(const int number, int (&x)[4]) const {
    const int block = number / lanes;
    const int parity = block / map.sites;
    map.coordinates({parity, block - parity * map.sites, number % lanes}, x);
  }
};

/// Runs `kernel(x)` for all local sites of fields of T, one to a work item.
template <class T, class Kernel>
void for_each_single_site(const char* label, const Lattice& lattice, const Kernel& kernel) {
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Execution>(lattice.execution(), 0, static_cast<int>(lattice.local_volume())),
                       SingleSites<Kernel>{SiteMap::of<T>(lattice), lattice.lane_count<T>(), kernel});
}

/// Reduces with `kernel(x, value)` over all local sites; the result is on the host when it returns.
template <class T, class Kernel, class Reducer>
void reduce_single_sites(const char* label, const Lattice& lattice, const Kernel& kernel, const Reducer& reducer) {
  Kokkos::parallel_reduce(
      label, Kokkos::RangePolicy<Execution>(lattice.execution(), 0, static_cast<int>(lattice.local_volume())),
      SingleSites<Kernel>{SiteMap::of<T>(lattice), lattice.lane_count<T>(), kernel}, reducer);
}

/// Local lexicographic number of a site.
template <class Map>
KOKKOS_INLINE_FUNCTION int local_number(const Map& map, const int (&x)[4]) {
  return ((x[3] * map.extent[2] + x[2]) * map.extent[1] + x[1]) * map.extent[0] + x[0];
}

}  // namespace kaon::detail
