// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <cstdint>

namespace kaon::detail {

/// Division of n < 2^31 by a constant known at run time, by multiplication (Granlund and Montgomery 1994, with
/// m = ceil(2^(31+s) / d), s = ceil(log2 d)).
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(int divisor) : divisor_(static_cast<std::uint32_t>(divisor)) {
    std::uint32_t log = 0;
    while ((std::uint64_t{1} << log) < divisor_) ++log;
    shift_ = 31 + log;
    multiplier_ = ((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_;
  }
  /// n / divisor, and the rest of the division in `rest`.
  KOKKOS_FORCEINLINE_FUNCTION int divide(int n, int& rest) const {
    const auto quotient = static_cast<std::uint32_t>((static_cast<std::uint32_t>(n) * multiplier_) >> shift_);
    rest = n - static_cast<int>(quotient * divisor_);
    return static_cast<int>(quotient);
  }
  KOKKOS_FORCEINLINE_FUNCTION int divisor() const { return static_cast<int>(divisor_); }

 private:
  std::uint32_t divisor_ = 1;
  std::uint32_t shift_ = 31;
  std::uint64_t multiplier_ = std::uint64_t{1} << 31;
};

/// A site of a sub-lattice as the hop sees it.
struct Site {
  int x[4];   ///< coordinates in the sub-lattice
  int index;  ///< checkerboard index within its parity: x/2 fastest, then y, z, t
  int parity;
};

/// A neighbour's checkerboard index (its parity is the opposite one), and whether the way there left the sub-lattice.
struct Neighbor {
  int index;
  bool crossed;
};

/// Geometry of one virtual node: the local lattice itself where W = 1.
struct SubLattice {
  int extent[4];
  int half_volume;  ///< sites of one parity
  int stride[4];    ///< of the checkerboard index in y, z, t; stride[0] is unused
  Divisor by_half_x, by_y, by_z;

  SubLattice() = default;
  explicit SubLattice(const Coordinates& local_extents, const Coordinates& lane_grid) {
    for (int mu = 0; mu < 4; ++mu) {
      extent[mu] = local_extents[static_cast<std::size_t>(mu)] / lane_grid[static_cast<std::size_t>(mu)];
    }
    stride[0] = 0;
    stride[1] = extent[0] / 2;
    stride[2] = stride[1] * extent[1];
    stride[3] = stride[2] * extent[2];
    half_volume = stride[3] * extent[3];
    by_half_x = Divisor(extent[0] / 2);
    by_y = Divisor(extent[1]);
    by_z = Divisor(extent[2]);
  }

  KOKKOS_FORCEINLINE_FUNCTION Site site(int index, int parity) const {
    Site s;
    s.index = index;
    s.parity = parity;
    int half_x;
    int rest = by_half_x.divide(index, half_x);
    rest = by_y.divide(rest, s.x[1]);
    s.x[3] = by_z.divide(rest, s.x[2]);
    s.x[0] = 2 * half_x + ((s.x[1] + s.x[2] + s.x[3] + parity) & 1);
    return s;
  }

  /// The neighbour at x + step mu, step > 0 and odd. The way there may leave the sub-lattice once: step < extent[mu].
  KOKKOS_FORCEINLINE_FUNCTION Neighbor forward(const Site& s, int mu, int step = 1) const {
    const bool crossed = s.x[mu] >= extent[mu] - step;
    if (mu == 0) {
      const int odd = s.x[0] & 1;  // only from odd x does x + 1 lie in the next pair
      const int pairs = step == 1 ? odd : (step + odd) / 2;
      return {crossed ? s.index + pairs - extent[0] / 2 : s.index + pairs, crossed};
    }
    return {crossed ? s.index - (extent[mu] - step) * stride[mu] : s.index + step * stride[mu], crossed};
  }

  /// The neighbour at x - step mu.
  KOKKOS_FORCEINLINE_FUNCTION Neighbor backward(const Site& s, int mu, int step = 1) const {
    const bool crossed = s.x[mu] < step;
    if (mu == 0) {
      const int even = 1 - (s.x[0] & 1);
      const int pairs = step == 1 ? even : (step + even) / 2;
      return {crossed ? s.index - pairs + extent[0] / 2 : s.index - pairs, crossed};
    }
    return {crossed ? s.index + (extent[mu] - step) * stride[mu] : s.index - step * stride[mu], crossed};
  }
};

/// The place in memory of a site of the local lattice.
struct Place {
  int parity;
  int index;  ///< among the sites of its parity in its virtual node: half of the lexicographic one, if there are two
  int lane;   ///< its virtual node
};

/// Sites one by one, for any W: for kernels that are not worth vectors, and for the host. On fine and coarse lattices.
struct SiteMap {
  int extent[4];  ///< local extents
  int origin[4];  ///< global coordinates of the first local site
  int global[4];  ///< global extents
  int grid[4];    ///< virtual nodes
  int inner[4];   ///< extents of a virtual node
  int parities;   ///< `Lattice::parities`
  int sites;      ///< of one parity in a virtual node
  int pair;       ///< the first direction with several sites: that of two sites with the same index
  Divisor by_x, by_y, by_z;

  template <class T>
  static SiteMap of(const Lattice& lattice) {
    SiteMap map;
    const Coordinates& lane_grid = lattice.lane_grid<T>();
    map.parities = lattice.parities();
    map.sites = static_cast<int>(lattice.local_volume()) / lattice.lane_count<T>() / map.parities;
    map.pair = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      map.extent[mu] = lattice.local_extents()[mu];
      map.origin[mu] = lattice.origin()[mu];
      map.global[mu] = lattice.extents()[mu];
      map.grid[mu] = lane_grid[mu];
      map.inner[mu] = map.extent[mu] / map.grid[mu];
      if (static_cast<int>(mu) == map.pair && map.inner[mu] == 1) ++map.pair;
    }
    map.by_x = Divisor(map.inner[0]);
    map.by_y = Divisor(map.inner[1]);
    map.by_z = Divisor(map.inner[2]);
    return map;
  }

  KOKKOS_INLINE_FUNCTION int parity(const int (&x)[4]) const {
    return parities == 2 ? (x[0] + x[1] + x[2] + x[3]) & 1 : 0;
  }

  KOKKOS_INLINE_FUNCTION Place place(const int (&x)[4]) const {
    int number = 0;
    int lane = 0;
    for (int mu = 3; mu >= 0; --mu) {
      const int outer = x[mu] / inner[mu];
      number = number * inner[mu] + x[mu] - outer * inner[mu];
      lane = lane * grid[mu] + outer;
    }
    return {parity(x), number >> (parities - 1), lane};
  }

  /// Local coordinates of a stored site.
  KOKKOS_INLINE_FUNCTION void coordinates(const Place& place, int (&x)[4]) const {
    int y[4];
    int rest = by_x.divide(place.index << (parities - 1), y[0]);
    rest = by_y.divide(rest, y[1]);
    y[3] = by_z.divide(rest, y[2]);
    // With two parities the first extent above 1 is even: sites 2 n and 2 n + 1 are neighbours in that direction.
    const int second = parity(y) ^ place.parity;
    int lane = place.lane;
    for (int mu = 0; mu < 4; ++mu) {
      x[mu] = y[mu] + (mu == pair ? second : 0) + (lane % grid[mu]) * inner[mu];
      lane /= grid[mu];
    }
  }

  /// Steps from x by `step` in direction mu, with periodic wrap.
  KOKKOS_INLINE_FUNCTION void shift(int (&x)[4], int mu, int step) const {
    x[mu] += step;
    if (x[mu] >= extent[mu]) x[mu] -= extent[mu];
    if (x[mu] < 0) x[mu] += extent[mu];
  }

  /// Global lexicographic index: what random numbers are keyed by.
  KOKKOS_INLINE_FUNCTION std::uint64_t global_index(const int (&x)[4]) const {
    std::uint64_t index = 0;
    for (int mu = 3; mu >= 0; --mu) {
      index = index * static_cast<std::uint64_t>(global[mu]) + static_cast<std::uint64_t>(x[mu] + origin[mu]);
    }
    return index;
  }
};

}  // namespace kaon::detail
