// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/convert.hpp"
#include "core/lattice/workspace.hpp"
#include "core/launch/launch.hpp"
#include "gauge/near_links.hpp"

#include <optional>

namespace kaon::detail {

// Matrices that a kernel makes from links and that the next kernel reads at neighbours, up to four on each site. Their
// memory is the lattice's, whose workspace caches it for the next call (`Lattice::release_memory` frees it).

/// On lattices without partitioned directions: read if they are stored.
template <class V>
class PeriodicMatrices {
 public:
  using Access = NearLinks<double, V>;
  /// Room for `count` matrices on each site.
  PeriodicMatrices(const Lattice& lattice, int count, int = 1)
      : PeriodicMatrices(lattice, parity_size<double>(lattice, {.objects = count, .components = 9}), count, Sized{}) {}
  /// The links of a field.
  explicit PeriodicMatrices(const GaugeField<double>& links, int = 1)
      : lattice_(links.lattice()), links_(links.share()), matrices_(*links_) {}
  /// Releases the memory at once, while kernels may still use it: all kernels of a lattice run in order.
  ~PeriodicMatrices() {
    if (!links_) lattice_.workspace().give_back(memory_);
  }
  PeriodicMatrices(const PeriodicMatrices&) = delete;
  PeriodicMatrices& operator=(const PeriodicMatrices&) = delete;

  const Access& access() const { return matrices_; }
  /// To be called between the kernel that stores and the kernel that reads.
  void exchange() {}
  /// Puts links that kernels have changed into the field that they were made of.
  void copy_to(GaugeField<double>&) const {}  // there they are

 private:
  struct Sized {};
  PeriodicMatrices(const Lattice& lattice, std::size_t parity_size, int count, Sized)
      : lattice_(lattice),
        memory_(lattice.workspace().template take<double>(2 * parity_size)),
        matrices_(lattice, memory_.data(), parity_size, count) {}

  Lattice lattice_;
  std::optional<GaugeField<double>> links_;
  Kokkos::View<double*, Memory> memory_;
  Access matrices_;
};

/// On other lattices: in boxes with a layer of the neighbours' matrices. An exchange moves the layers of all
/// directions, those of other processes through host memory.
template <class V>
class BoxedMatrices {
 public:
  using Access = GhostNearLinks<double, V>;
  BoxedMatrices(const Lattice& lattice, int count, int layers = 1)
      : box_(lattice, lattice.lane_grid<double>(), {layers, layers, layers, layers}, 18 * count),
        matrices_(box_, lattice.lane_grid<double>()) {}
  /// The links of a field, with so many layers.
  explicit BoxedMatrices(const GaugeField<double>& links, int layers = 1) : BoxedMatrices(links.lattice(), 4, layers) {
    fill_box(box_, links);
    exchange();
  }

  const Access& access() const { return matrices_; }
  void exchange() { box_.exchange(); }
  void copy_to(GaugeField<double>& links) const { take_from_box(links, box_); }

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

/// a b: one function for links that are read in different ways, as in gauge/staples.hpp.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> product(const ColorMatrix<V>& a, const ColorMatrix<V>& b) {
  return a * b;
}

/// Runs `kernel(index, first, last)` on the sites of both parities; its calls [first, last) of `Kernel::calls` are what
/// it does on a site: parities, directions. The kernel reads neighbours and writes to what none of its calls reads, or
/// adds to `NearSums`.
///
/// On GPUs teams share the reads of neighbouring sites and of the directions of a site through their caches; the shape
/// in which they do so best is tuned. On hosts a thread makes all calls on a site, in sequence.
template <class Kernel>
void run_near(const char* label, const Lattice& lattice, const Kernel& kernel) {
  const int sites = kernel.node.half_volume;
  if constexpr (on_device) {
    constexpr int link_reals = 18;
    for_each_site(tuning_key<double>(label, lattice, link_reals, Kernel::calls), lattice, sites, kernel);
  } else {
    for_each_site(label, lattice.execution(), sites, Kernel::calls, kernel);
  }
}

}  // namespace kaon::detail
