// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/single_sites.hpp"

#include <kaon/core/lattice.hpp>

namespace kaon::detail {

/// The sites of one virtual node and layers of sites around it, whose originals other virtual nodes and processes hold:
/// nothing wraps around, and each lane has its own layers. Site numbers run lexicographically through box coordinates,
/// from -depth to extent + depth - 1 in each direction.
struct BoxShape {
  int extent[4];        ///< of the virtual node
  int depth[4];         ///< layers on either side
  int grid[4];          ///< virtual nodes
  bool partitioned[4];  ///< layers at the edge of the local lattice are those of other processes
  int stride[4];        ///< of site numbers
  int first;            ///< number of the site at 0
  int sites;            ///< of the box
  int lanes;
  int reals;  ///< on each site

  BoxShape() = default;
  /// Throws `Error` if a virtual node has fewer layers than a neighbour wants.
  BoxShape(const Lattice& lattice, const Coordinates& lane_grid, const Coordinates& layers, int reals_per_site);

  KOKKOS_FORCEINLINE_FUNCTION int number(const int (&y)[4]) const {
    return first + y[0] + y[1] * stride[1] + y[2] * stride[2] + y[3] * stride[3];
  }
  /// Box coordinates and lane of a local site.
  KOKKOS_INLINE_FUNCTION int locate(const int (&x)[4], int (&y)[4]) const {
    int lane = 0;
    for (int mu = 3; mu >= 0; --mu) {
      const int outer = x[mu] / extent[mu];
      y[mu] = x[mu] - outer * extent[mu];
      lane = lane * grid[mu] + outer;
    }
    return lane;
  }
  /// Position of a number: lanes fastest on the host, sites on a device.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t offset(int site, int real, int lane) const {
    const auto s = static_cast<std::size_t>(site), r = static_cast<std::size_t>(real);
    if constexpr (on_device) {
      return r * static_cast<std::size_t>(sites) + s;
    } else {
      return (s * static_cast<std::size_t>(reals) + r) * static_cast<std::size_t>(lanes) +
             static_cast<std::size_t>(lane);
    }
  }
  /// Steps from y by `step` in direction mu: the same call as that of `SiteMap`, which wraps around.
  KOKKOS_INLINE_FUNCTION void shift(int (&y)[4], int mu, int step) const { y[mu] += step; }
};

/// Numbers on the sites of a `BoxShape`: a copy of a field with what lies around the local lattice, for kernels that
/// need neighbours and are not the hop. Fields on lattices without partitioned directions need none.
///
/// Layers are exchanged direction after direction, each with those of the directions before it, so that corners are
/// filled too. Layers of this process itself are copied if they are. Messages of others lie in host memory that a
/// device can reach: links are exchanged too seldom to be worth more. The memory remains with the lattice, for its
/// later boxes; the box's own comes from the lattice's workspace and goes back to it.
template <class T>
class GhostBox {
 public:
  /// `layers[mu]` of them in direction mu; with `lane_grid` = {1, 1, 1, 1} one lane.
  GhostBox(const Lattice& lattice, const Coordinates& lane_grid, const Coordinates& layers, int reals_per_site);
  ~GhostBox();
  GhostBox(const GhostBox&) = delete;
  GhostBox& operator=(const GhostBox&) = delete;

  const Lattice& lattice() const { return lattice_; }
  const BoxShape& shape() const { return shape_; }
  /// The kernels' memory. After a write to the sites of virtual nodes, call `exchange` before the others are read.
  T* data() const { return memory_.data(); }

  /// Fills the layers with reals [first, first + count) of each site. Collective.
  void exchange(int first, int count);
  void exchange() { exchange(0, shape_.reals); }

 private:
  Lattice lattice_;
  BoxShape shape_;
  Kokkos::View<T*, Memory> memory_;
};

extern template class GhostBox<double>;
extern template class GhostBox<float>;

}  // namespace kaon::detail
