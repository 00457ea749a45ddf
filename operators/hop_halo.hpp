// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/geometry.hpp"
#include "core/launch.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <Kokkos_Core.hpp>

#include <map>
#include <memory>
#include <tuple>

namespace kaon::detail {

/// The halo of a Wilson hop: projected half spinors through the faces of partitioned directions. Kept by the lattice
/// and shared by all operators on it.
class HopHalo {
 public:
  /// For sub-lattices as `lane_grid` cuts them, with `stride` numbers of `bytes` between right-hand sides.
  HopHalo(const Lattice& lattice, const Coordinates& lane_grid, const std::array<std::size_t, 4>& stride,
          std::size_t bytes, int right_hand_sides);

  /// The one that is stored as H, of fields of T; made where there is none. Collective then.
  template <class T, class H>
  static HopHalo& of(const Lattice& lattice, int right_hand_sides);

  HaloExchange& exchange() { return exchange_; }
  /// Numbers between right-hand sides of what goes through faces in direction mu.
  std::size_t stride(std::size_t mu) const { return stride_[mu]; }
  /// Checkerboard indices of the sites of a parity that see a face, in rising order.
  const Kokkos::View<int*, Memory>& boundary(Parity parity) const { return boundary_[static_cast<int>(parity)]; }

  /// Tiles of a hop in this shape in the order in which it takes them: those without sites at the edges of processes
  /// first. On hosts, and where all tiles have such sites, null, and none `inside`.
  struct Order {
    const int* tiles = nullptr;
    int inside = 0;  ///< that have no such sites
  };
  Order order(const Lattice& lattice, const SubLattice& node, const LaunchShape& shape);

 private:
  std::array<std::size_t, 4> stride_{};
  HaloExchange exchange_;
  Kokkos::View<int*, Memory> boundary_[2];
  struct Kept {
    Kokkos::View<int*, Memory> tiles;
    int inside = 0;
  };
  std::map<std::tuple<int, bool, int>, Kept> order_;  // by sites of a tile, whether it is a box, and columns
};

}  // namespace kaon::detail
