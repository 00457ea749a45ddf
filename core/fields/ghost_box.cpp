// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/ghost_box.hpp"
#include "core/device/allocate.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <limits>
#include <map>
#include <memory>
#include <typeinfo>
#include <utility>

namespace kaon::detail {
namespace {

/// Layers in direction mu on one side of a box, with the layers of the directions before mu.
struct Layers {
  BoxShape box;
  int mu;
  int begin[4], size[4];
  int sites;        ///< on one side
  int lane_stride;  ///< between virtual nodes that are neighbours in direction mu
  int edge_lanes;   ///< virtual nodes at an edge of the local lattice

  Layers(const BoxShape& shape, int direction) : box(shape), mu(direction), sites(1), lane_stride(1) {
    for (int nu = 0; nu < 4; ++nu) {
      begin[nu] = nu < mu ? -box.depth[nu] : 0;
      size[nu] = nu == mu ? box.depth[nu] : box.extent[nu] - 2 * begin[nu];
      sites *= size[nu];
      if (nu < mu) lane_stride *= box.grid[nu];
    }
    edge_lanes = box.lanes / box.grid[mu];
  }

  /// Box coordinates of a layer site when its first layer is at `first_layer`.
  KOKKOS_INLINE_FUNCTION void coordinates(int site, int first_layer, int (&y)[4]) const {
    for (int nu = 0; nu < 4; ++nu) {
      y[nu] = site % size[nu] + (nu == mu ? first_layer : begin[nu]);
      site /= size[nu];
    }
  }
  /// Layers at the lower (side 0) or upper (side 1) end of the virtual node itself.
  KOKKOS_INLINE_FUNCTION int inner(int side) const { return side == 0 ? 0 : box.extent[mu] - box.depth[mu]; }
  /// The layers beyond.
  KOKKOS_INLINE_FUNCTION int outer(int side) const { return side == 0 ? -box.depth[mu] : box.extent[mu]; }

  KOKKOS_INLINE_FUNCTION int coordinate_of(int lane) const { return lane / lane_stride % box.grid[mu]; }
  KOKKOS_INLINE_FUNCTION int edge_coordinate(int side) const { return side == 0 ? 0 : box.grid[mu] - 1; }
  /// Virtual nodes at an edge, numbered.
  KOKKOS_INLINE_FUNCTION int edge_number(int lane) const {
    return lane % lane_stride + lane / (lane_stride * box.grid[mu]) * lane_stride;
  }
  KOKKOS_INLINE_FUNCTION int edge_lane(int number, int side) const {
    return number % lane_stride + (number / lane_stride * box.grid[mu] + edge_coordinate(side)) * lane_stride;
  }
  /// The next virtual node on that side, around the local lattice.
  KOKKOS_INLINE_FUNCTION int next_lane(int lane, int side) const {
    const int coordinate = coordinate_of(lane);
    const int next = (coordinate + (side == 0 ? box.grid[mu] - 1 : 1)) % box.grid[mu];
    return lane + (next - coordinate) * lane_stride;
  }

  /// Numbers in the message through one side.
  std::size_t message_size(int count) const {
    return static_cast<std::size_t>(sites) * static_cast<std::size_t>(edge_lanes) * static_cast<std::size_t>(count);
  }
  KOKKOS_INLINE_FUNCTION std::size_t message_offset(int side, int site, int edge, int real, int count) const {
    const auto slots = static_cast<std::size_t>(sites) * static_cast<std::size_t>(edge_lanes);
    const auto slot = static_cast<std::size_t>(site * edge_lanes + edge);
    const auto r = static_cast<std::size_t>(real), reals = static_cast<std::size_t>(count);
    return static_cast<std::size_t>(side) * slots * reals + (on_device ? r * slots + slot : slot * reals + r);
  }
};

/// message(side) = the sites of the virtual nodes that the next process on that side has in its layers.
template <class T>
struct PackKernel {
  Layers layers;
  const T* data;
  T* message;
  int first, count;

  KOKKOS_FUNCTION void operator()(const int number) const {
    const int edge = number % layers.edge_lanes;
    const int site = number / layers.edge_lanes % layers.sites;
    const int side = number / layers.edge_lanes / layers.sites;
    int y[4];
    layers.coordinates(site, layers.inner(side), y);
    const int from = layers.box.number(y);
    const int lane = layers.edge_lane(edge, side);
    for (int real = 0; real < count; ++real) {
      message[layers.message_offset(side, site, edge, real, count)] = data[layers.box.offset(from, first + real, lane)];
    }
  }
};

/// The layers, from the next virtual node or from the message of the next process.
template <class T>
struct FillKernel {
  Layers layers;
  T* data;
  const T* message;
  int first, count;

  KOKKOS_FUNCTION void operator()(const int number) const {
    const int lane = number % layers.box.lanes;
    const int site = number / layers.box.lanes % layers.sites;
    const int side = number / layers.box.lanes / layers.sites;
    int y[4];
    layers.coordinates(site, layers.outer(side), y);
    const int to = layers.box.number(y);
    if (layers.box.partitioned[layers.mu] && layers.coordinate_of(lane) == layers.edge_coordinate(side)) {
      const int edge = layers.edge_number(lane);
      for (int real = 0; real < count; ++real) {
        data[layers.box.offset(to, first + real, lane)] = message[layers.message_offset(side, site, edge, real, count)];
      }
    } else {
      layers.coordinates(site, layers.inner(1 - side), y);
      const int from = layers.box.number(y);
      const int next = layers.next_lane(lane, side);
      for (int real = 0; real < count; ++real) {
        data[layers.box.offset(to, first + real, lane)] = data[layers.box.offset(from, first + real, next)];
      }
    }
  }
};

using MessageMemory = ResultSlot::ResultMemory;

/// Messages through the two faces of a box in direction mu, of so many bytes each.
class BoxChannel {
 public:
  BoxChannel(const Lattice& lattice, int mu, std::size_t side_bytes)
      : sent_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::GhostBox sent"), 2 * side_bytes),
        received_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::GhostBox received"), 2 * side_bytes) {
    const auto direction = static_cast<std::size_t>(mu);
    const int below = lattice.neighbor(direction, -1), above = lattice.neighbor(direction, +1);
    const int down = 2 * mu, up = down + 1;  // which way a message goes is its tag
    const Message sends[] = {{sent_.data(), side_bytes, below, down},
                             {sent_.data() + side_bytes, side_bytes, above, up}};
    const Message receives[] = {{received_.data(), side_bytes, below, up},
                                {received_.data() + side_bytes, side_bytes, above, down}};
    exchange_ = lattice.communicator().make_exchange(sends, receives);
  }

  void* sent() const { return sent_.data(); }
  const void* received() const { return received_.data(); }
  void run() const {
    exchange_->start();
    exchange_->finish();
  }

 private:
  Kokkos::View<std::byte*, MessageMemory> sent_, received_;
  std::unique_ptr<Exchange> exchange_;
};

/// The channels of a lattice, by direction and bytes. Its boxes share them, since pinned memory is slow to make and to
/// free.
using BoxChannels = std::map<std::pair<int, std::size_t>, BoxChannel>;

BoxChannel& find_channel(const Lattice& lattice, int mu, std::size_t side_bytes) {
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(BoxChannels), 1);
  if (!kept) kept = std::make_shared<BoxChannels>();
  auto& channels = *static_cast<BoxChannels*>(kept.get());
  return channels.try_emplace({mu, side_bytes}, lattice, mu, side_bytes).first->second;
}

}  // namespace

BoxShape::BoxShape(const Lattice& lattice, const Coordinates& lane_grid, const Coordinates& layers, int reals_per_site)
    : first(0), sites(1), lanes(1), reals(reals_per_site) {
  std::ptrdiff_t total = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    extent[mu] = lattice.local_extents()[mu] / lane_grid[mu];
    depth[mu] = layers[mu];
    grid[mu] = lane_grid[mu];
    // If this process is its own neighbour, layers are copied within the box.
    partitioned[mu] = lattice.is_partitioned(mu) && lattice.neighbor(mu, +1) != lattice.communicator().rank();
    require(depth[mu] >= 0 && depth[mu] <= extent[mu], [&] {
      return fmt::format(
          "{} layers of sites are wanted of a process in direction {}, where {} has {} sites: use fewer "
          "processes",
          depth[mu], "xyzt"[mu], grid[mu] == 1 ? "it" : "a virtual node of it", extent[mu]);
    });
    stride[mu] = static_cast<int>(total);
    total *= extent[mu] + 2 * depth[mu];
    require(total <= std::numeric_limits<int>::max(), [&] {
      return fmt::format("local lattice {} with the layers around it has more than 2^31 - 1 sites: use more processes",
                         to_string(lattice.local_extents()));
    });
    first += depth[mu] * stride[mu];
    lanes *= grid[mu];
  }
  sites = static_cast<int>(total);
}

template <class T>
GhostBox<T>::GhostBox(const Lattice& lattice, const Coordinates& lane_grid, const Coordinates& layers,
                      int reals_per_site)
    : lattice_(lattice),
      shape_(lattice, lane_grid, layers, reals_per_site),
      memory_(lattice.workspace().template take<T>(static_cast<std::size_t>(shape_.sites) *
                                                   static_cast<std::size_t>(shape_.reals * shape_.lanes))) {}

template <class T>
GhostBox<T>::~GhostBox() {
  // Kernels may still read what was received, which goes with the lattice; the box itself goes to kernels behind these.
  lattice_.execution().fence("kaon::GhostBox");
  lattice_.workspace().give_back(memory_);
}

template <class T>
void GhostBox<T>::exchange(int first, int count) {
  const Execution& execution = lattice_.execution();
  for (int mu = 0; mu < 4; ++mu) {
    const Layers layers(shape_, mu);
    if (layers.sites == 0) continue;
    const T* message = nullptr;
    if (shape_.partitioned[mu]) {
      const BoxChannel& channel = find_channel(lattice_, mu, layers.message_size(count) * sizeof(T));
      Kokkos::parallel_for("kaon::pack_layers",
                           Kokkos::RangePolicy<Execution>(execution, 0, 2 * layers.sites * layers.edge_lanes),
                           PackKernel<T>{layers, data(), static_cast<T*>(channel.sent()), first, count});
      execution.fence("kaon::pack_layers");
      channel.run();
      message = static_cast<const T*>(channel.received());
    }
    Kokkos::parallel_for("kaon::fill_layers",
                         Kokkos::RangePolicy<Execution>(execution, 0, 2 * layers.sites * shape_.lanes),
                         FillKernel<T>{layers, data(), message, first, count});
  }
}

template class GhostBox<double>;
template class GhostBox<float>;

}  // namespace kaon::detail
