// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/ghost_links.hpp"

namespace kaon::detail {

/// Links up to two steps from a site (in different directions), whole packs in the lanes of that site. For lattices
/// without partitioned directions. A field of other matrices, up to four on each site, is read likewise: mu is then the
/// number of the matrix, and a place that was `reached` in one field may be read in another one.
template <class T, class V>
struct NearLinks {
  using Value = V;
  SubLattice node;
  GaugeAccess<T, V> links;
  T* stored[2];                 ///< by parity
  LanePermutation<V> ahead[4];  ///< where the values of the next virtual node in direction mu are
  LanePermutation<V> behind[4];

  /// A site reached in steps, and the permutations to be undone afterwards.
  struct Reached {
    Site site;
    const LanePermutation<V>* crossed[2];
  };

  /// Throws `Error` for compressed links.
  explicit NearLinks(GaugeField<T>& field) : NearLinks(field.lattice(), field.data(), field.parity_size(), 4) {
    require_storage(field.storage(), LinkStorage::full);
  }
  /// `count` matrices on each site, stored as links are: `parity_size` numbers on even sites, then those on odd ones.
  NearLinks(const Lattice& lattice, T* data, std::size_t parity_size, int count)
      : node(lattice.local_extents(), lattice.template lane_grid<T>()),
        links{{data, data + parity_size}, parity_size / static_cast<std::size_t>(count)},
        stored{data, data + parity_size} {
    const Coordinates& grid = lattice.template lane_grid<T>();
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
    const int from = coordinate(at.site, mu);
    const bool crosses = from == (sign > 0 ? node.extent[mu] - 1 : 0);
    const int to = crosses ? from - sign * (node.extent[mu] - 1) : from + sign;
    if constexpr (is_pack<V>) {
      if (crosses) at.crossed[at.crossed[0] != nullptr] = sign > 0 ? &ahead[mu] : &behind[mu];
    }
    set_coordinate(at.site, mu, to);
    at.site.index += mu == 0 ? to / 2 - from / 2 : (to - from) * node.stride[mu];
    at.site.parity ^= 1;
    return at;
  }
  /// U_mu there. Prefetches the one three indices later: kernels visit sites in rising order, and the same steps from a
  /// later site lead there.
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> load(const Reached& at, int mu) const {
    links.prefetch(at.site.index + 3, at.site.parity, mu);
    ColorMatrix<V> u = links.decode(links.template fetch<Reuse::soon>(at.site.index, at.site.parity, mu));
    if constexpr (is_pack<V>) {
      for (const LanePermutation<V>* permutation : at.crossed) {
        if (permutation == nullptr) break;
        for (auto& row : u.e) {
          for (auto& element : row) {
            element = {permute(element.re, *permutation), permute(element.im, *permutation)};
          }
        }
      }
    }
    return u;
  }
  /// Changes the link of a site that took no step.
  KOKKOS_INLINE_FUNCTION void store(const ColorMatrix<V>& u, const Reached& at, int mu) const {
    ObjectAccess<T, V, 9>::store(stored[at.site.parity] + static_cast<std::size_t>(mu) * links.direction,
                                 reinterpret_cast<const Complex<V>*>(&u), at.site.index);
  }

 private:
  // On GPUs an array in registers cannot be indexed by a number that is known at run time only.
  KOKKOS_FORCEINLINE_FUNCTION static int coordinate(const Site& site, int mu) {
    if constexpr (on_device) {
      return mu < 2 ? (mu == 0 ? site.x[0] : site.x[1]) : (mu == 2 ? site.x[2] : site.x[3]);
    } else {
      return site.x[mu];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void set_coordinate(Site& site, int mu, int value) {
    if constexpr (on_device) {
      KAON_UNROLL
      for (int nu = 0; nu < 4; ++nu) site.x[nu] = nu == mu ? value : site.x[nu];
    } else {
      site.x[mu] = value;
    }
  }
};

/// Matrices of a field, which a kernel adds to.
template <class T, class V>
struct NearSums {
  NearLinks<T, V> sums;

  explicit NearSums(GaugeField<T>& field) : sums(field) {}

  /// V_mu = V_mu + weight x on a site.
  KOKKOS_INLINE_FUNCTION void add(double weight, const ColorMatrix<V>& x, int index, int parity, int mu) const {
    const auto at = sums.start(index, parity);
    ColorMatrix<V> sum = sums.load(at, mu);
    add_multiple(sum, weight, x);
    sums.store(sum, at, mu);
  }
};

/// Accesses links in a box, and other matrices in boxes with the same layers.
template <class T, class V>
struct GhostNearLinks {
  using Value = V;
  SubLattice node;
  BoxShape box;
  T* data;

  /// Number of a site in the box.
  using Reached = int;

  GhostNearLinks(const GhostBox<T>& from, const Coordinates& lane_grid)
      : node(from.lattice().local_extents(), lane_grid), box(from.shape()), data(from.data()) {}

  KOKKOS_INLINE_FUNCTION Reached start(int index, int parity) const { return box.number(node.site(index, parity).x); }
  KOKKOS_INLINE_FUNCTION Reached step(Reached at, int mu, int sign) const { return at + sign * box.stride[mu]; }
  KOKKOS_INLINE_FUNCTION ColorMatrix<V> load(Reached at, int mu) const { return load_link<V>(box, data, at, mu); }
  KOKKOS_INLINE_FUNCTION void store(const ColorMatrix<V>& u, Reached at, int mu) const {
    store_link(u, box, data, at, mu);
  }
};

}  // namespace kaon::detail
