// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/field_access.hpp"

namespace kaon::detail {

/// Links up to two steps from a site (in different directions), whole packs in the lanes of that site.
template <class T, class V>
struct NearLinks {
  SubLattice node;
  GaugeAccess<T, V> links;
  LanePermutation<V> ahead[4];  ///< where the values of the next virtual node in direction mu are
  LanePermutation<V> behind[4];

  /// A site reached in steps, and the permutations to be made on the way back.
  struct Reached {
    Site site;
    const LanePermutation<V>* crossed[2];
  };

  explicit NearLinks(const GaugeField<T>& field)
      : node(field.lattice().local_extents(), field.lattice().template lane_grid<T>()), links(access<V>(field)) {
    const Coordinates& grid = field.lattice().template lane_grid<T>();
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (int lane = 0; lane < lane_count<V>; ++lane) {
        Coordinates next = lexicographic_site(lane, grid);
        Coordinates previous = next;
        next[mu] = (next[mu] + 1) % grid[mu];
        previous[mu] = (previous[mu] + grid[mu] - 1) % grid[mu];
        using Index = typename LanePermutation<V>::Index;
        ahead[mu].source[lane] = static_cast<Index>(lexicographic_index(next, grid));
        behind[mu].source[lane] = static_cast<Index>(lexicographic_index(previous, grid));
      }
    }
  }

  KOKKOS_INLINE_FUNCTION Reached start(int index, int parity) const {
    return {node.site(index, parity), {nullptr, nullptr}};
  }
  /// One step of +1 or -1 in direction mu.
  KOKKOS_INLINE_FUNCTION Reached step(Reached at, int mu, int sign) const {
    const Neighbor neighbor = sign > 0 ? node.forward(at.site, mu) : node.backward(at.site, mu);
    if (neighbor.crossed) at.crossed[at.crossed[0] != nullptr] = sign > 0 ? &ahead[mu] : &behind[mu];
    at.site.x[mu] += neighbor.crossed ? -sign * (node.extent[mu] - 1) : sign;
    at.site.index = neighbor.index;
    at.site.parity ^= 1;
    return at;
  }
  /// U_mu there.
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> load(const Reached& at, int mu) const {
    ColorMatrix<V> u = links.load(at.site.index, at.site.parity, mu);
    for (const LanePermutation<V>* permutation : at.crossed) {
      if (permutation == nullptr) break;
      for (auto& row : u.e) {
        for (auto& element : row) {
          element = {permute(element.re, *permutation), permute(element.im, *permutation)};
        }
      }
    }
    return u;
  }
};

}  // namespace kaon::detail
