// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil/stencil_halo.hpp"

#include "core/device/allocate.hpp"

#include <vector>

namespace kaon::detail {
namespace {

std::array<std::size_t, faces> face_bytes(const Lattice& lattice, const std::array<std::size_t, 4>& stride,
                                          std::size_t bytes) {
  std::array<std::size_t, faces> result{};
  for (std::size_t face = 0; face < faces; ++face) {
    if (lattice.is_partitioned(face / 2)) result[face] = stride[face / 2] * bytes;
  }
  return result;
}

/// Whether a leg of at most `reach` leads from a site to another process.
bool at_edge(const Lattice& lattice, const SubLattice& node, int reach, const Site& site) {
  for (int mu = 0; mu < 4; ++mu) {
    if (!lattice.is_partitioned(static_cast<std::size_t>(mu))) continue;
    if (site.x[mu] < reach || site.x[mu] >= node.extent[mu] - reach) return true;
  }
  return false;
}

/// In a sub-lattice the edges of all partitioned directions, whether or not each lane's lies at the local lattice's.
Kokkos::View<int*, Memory> sites_at_faces(const Lattice& lattice, const SubLattice& node, int reach, int parity) {
  std::vector<int> sites;
  for (int index = 0; index < node.half_volume; ++index) {
    if (at_edge(lattice, node, reach, node.site(index, parity))) sites.push_back(index);
  }
  return kernel_table("kaon::StencilHalo face sites", sites);
}

}  // namespace

StencilHalo::StencilHalo(const Lattice& lattice, const Coordinates& lane_grid, int reach,
                         const std::array<std::size_t, 4>& stride, std::size_t bytes, int right_hand_sides)
    : reach_(reach),
      stride_(stride),
      exchange_(lattice, face_bytes(lattice, stride, bytes * static_cast<std::size_t>(right_hand_sides)),
                choose_transport(lattice)) {
  const SubLattice node(lattice.local_extents(), lane_grid);
  for (int parity = 0; parity < 2; ++parity) face_sites_[parity] = sites_at_faces(lattice, node, reach, parity);
}

StencilHalo::Order StencilHalo::order(const Lattice& lattice, const SubLattice& node, const LaunchShape& shape) {
  if (!on_device) return {};
  const auto [kept, is_new] = order_.try_emplace({shape.sites, shape.box, shape.columns});
  Kept& order = kept->second;
  if (is_new) {
    const SiteBox box = shape.box ? SiteBox(node, shape.sites) : SiteBox();
    const int tiles = tiles_of(node.half_volume, shape);
    std::vector<int> inside, waiting;
    const TileOrder columns(node, box, shape, tiles);
    for (int number = 0; number < tiles; ++number) {
      const int tile = columns.tile(number);
      bool waits = false;
      for (int rank = 0; rank < shape.sites && !waits; ++rank) {
        const int index = box.usable ? box.index(node, tile, rank) : tile * shape.sites + rank;
        for (int parity = 0; parity < 2 && index < node.half_volume; ++parity) {
          waits = waits || at_edge(lattice, node, reach_, node.site(index, parity));
        }
      }
      (waits ? waiting : inside).push_back(tile);
    }
    if (!inside.empty()) {
      order.inside = static_cast<int>(inside.size());
      inside.insert(inside.end(), waiting.begin(), waiting.end());
      order.tiles = kernel_table("kaon::StencilHalo order", inside);
    }
  }
  return {order.tiles.data(), order.inside};
}

}  // namespace kaon::detail
