// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/allocate.hpp"
#include "core/fields/convert.hpp"
#include "gauge/near_links.hpp"

#include <optional>

namespace kaon::detail {

// Matrices that a kernel makes from links and that the next kernel reads at neighbours, up to four on each site.

/// On lattices without partitioned directions: read where they are stored.
template <class V>
class PeriodicMatrices {
 public:
  using Access = NearLinks<double, V>;
  /// Room for `count` matrices on each site.
  PeriodicMatrices(const Lattice& lattice, int count)
      : PeriodicMatrices(lattice, parity_size<double>(lattice, {.objects = count, .components = 9}), count) {}
  /// The links of a field.
  explicit PeriodicMatrices(const GaugeField<double>& links) : links_(links.share()), matrices_(*links_) {}

  const Access& access() const { return matrices_; }
  /// To be called between the kernel that stores and the kernel that reads.
  void exchange() {}

 private:
  PeriodicMatrices(const Lattice& lattice, std::size_t parity_size, int count)
      : memory_(allocate<double>("kaon::PeriodicMatrices", 2 * parity_size)),
        matrices_(lattice, memory_.data(), parity_size, count) {}

  std::optional<GaugeField<double>> links_;
  Kokkos::View<double*, Memory> memory_;
  Access matrices_;
};

/// On other lattices: in boxes with a layer of the neighbours' matrices. An exchange goes through host memory, and
/// moves the layers of all directions.
template <class V>
class BoxedMatrices {
 public:
  using Access = GhostNearLinks<double, V>;
  BoxedMatrices(const Lattice& lattice, int count)
      : box_(lattice, lattice.lane_grid<double>(), {1, 1, 1, 1}, 18 * count),
        matrices_(box_, lattice.lane_grid<double>()) {}
  explicit BoxedMatrices(const GaugeField<double>& links) : BoxedMatrices(links.lattice(), 4) {
    fill_box(box_, links);
    exchange();
  }

  const Access& access() const { return matrices_; }
  void exchange() { box_.exchange(); }

 private:
  GhostBox<double> box_;
  Access matrices_;
};

/// Calls `body.template operator()<Matrices>()` with one of the two, in the lanes of the lattice.
template <class Body>
void with_near_matrices(const Lattice& lattice, const Body& body) {
  with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
    if (lattice.is_partitioned()) {
      body.template operator()<BoxedMatrices<V>>();
    } else {
      body.template operator()<PeriodicMatrices<V>>();
    }
  });
}

}  // namespace kaon::detail
