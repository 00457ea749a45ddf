// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/lattice/geometry.hpp"
#include "core/lattice/workspace.hpp"
#include "core/launch/launch.hpp"
#include "operators/stencil/halo_access.hpp"
#include "operators/stencil/stencil.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <Kokkos_Core.hpp>

#include <map>
#include <memory>
#include <tuple>
#include <typeinfo>

namespace kaon::detail {

/// The halo of a stencil: `reach` layers of messages through the faces of partitioned directions. Owned by the lattice
/// and shared by all operators whose messages have the same size and reach.
class StencilHalo {
 public:
  /// For sub-lattices as `lane_grid` cuts them, with `stride` numbers of `bytes` between right-hand sides.
  StencilHalo(const Lattice& lattice, const Coordinates& lane_grid, int reach, const std::array<std::size_t, 4>& stride,
              std::size_t bytes, int right_hand_sides);

  /// The one whose messages are stored as H, for a stencil on fields of T; made if there is none. Collective then.
  template <class T, class Stencil, class H>
  static StencilHalo& of(const Lattice& lattice, int right_hand_sides);

  HaloExchange& exchange() { return exchange_; }
  /// Numbers between right-hand sides of what goes through faces in direction mu.
  std::size_t stride(std::size_t mu) const { return stride_[mu]; }
  /// Checkerboard indices of the sites of a parity that see a face, in rising order.
  const Kokkos::View<int*, Memory>& face_sites(Parity parity) const { return face_sites_[static_cast<int>(parity)]; }

  /// Tiles of a kernel in this shape in the order of its visits: those without sites at the edges of processes
  /// first. On hosts, and where all tiles have such sites, null, and none `inside`.
  struct Order {
    const int* tiles = nullptr;
    int inside = 0;  ///< that have no such sites
  };
  Order order(const Lattice& lattice, const SubLattice& node, const LaunchShape& shape);

 private:
  int reach_;
  std::array<std::size_t, 4> stride_{};
  HaloExchange exchange_;
  Kokkos::View<int*, Memory> face_sites_[2];
  struct Kept {
    Kokkos::View<int*, Memory> tiles;
    int inside = 0;
  };
  std::map<std::tuple<int, bool, int>, Kept> order_;  // by sites of a tile, whether it is a box, and columns
};

/// One kind of halo; Message is that of single lanes.
template <class H, class Message, int reach>
struct HaloKind {};

template <class T, class Stencil, class H>
StencilHalo& StencilHalo::of(const Lattice& lattice, int right_hand_sides) {
  using Message = typename Stencil::template Arithmetic<Arithmetic<T>>::Message;
  constexpr int reach = reach_of(Stencil::legs);
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(HaloKind<H, Message, reach>), right_hand_sides);
  if (!kept) {
    const Coordinates& lane_grid = lattice.lane_grid<T>();
    const SubLattice node(lattice.local_extents(), lane_grid);
    std::array<std::size_t, 4> stride{};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int lanes = lattice.lane_count<T>() / lane_grid[mu];
      const int messages = reach * FaceSites(node, static_cast<int>(mu)).sites;
      stride[mu] = HaloAccess<H, Message>::numbers(messages, lanes);
    }
    kept = std::make_shared<StencilHalo>(lattice, lane_grid, reach, stride, sizeof(H), right_hand_sides);
  }
  return *static_cast<StencilHalo*>(kept.get());
}

}  // namespace kaon::detail
