// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/measure/contractions.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace kaon::detail {

/// Functions of a direction in the kernels' memory: [function][local coordinate].
using WaveValues = Kokkos::View<const double**, Kokkos::LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The real functions of a direction, cos(2 pi m (x - x0)/L) and sin(2 pi m (x - x0)/L), m >= 0, from which the phases
/// of all momenta follow. m = 0 has no sine.
struct Waves {
  std::vector<int> modes;  ///< m
  /// [function][global coordinate]
  std::vector<std::vector<double>> values;

  int cosine(int n) const;
  int sine(int n) const;  ///< -1 for n = 0
  int count() const { return static_cast<int>(values.size()); }
};

/// Numbers of the functions of a momentum, the cosine first; signs of the sines, 0 without one.
struct MomentumWaves {
  int function[3][2];
  double sign[3];
};

/// The slices first, .., first + count - 1 of each of some virtual nodes, which have `slices` each.
struct SlicePass {
  int first, count;
  int slices, nodes;

  KOKKOS_FORCEINLINE_FUNCTION int size() const { return count * nodes; }
  /// The local time of slice number n of the pass.
  KOKKOS_FORCEINLINE_FUNCTION int time(int n) const { return n / count * slices + first + n % count; }
};

/// Complex numbers in the kernels' memory, which the lattice retains for later calls.
class LatticeMemory {
 public:
  LatticeMemory(const Lattice& lattice, std::size_t numbers);
  ~LatticeMemory();
  LatticeMemory(const LatticeMemory&) = delete;
  LatticeMemory& operator=(const LatticeMemory&) = delete;

  std::size_t size() const { return memory_.size() / 2; }
  Complex<double>* data() const { return reinterpret_cast<Complex<double>*>(memory_.data()); }

 private:
  Lattice lattice_;
  Kokkos::View<double*, Memory> memory_;
};

/// Sums over space with the phases of several momenta, one direction after another, so that the cost of a momentum is
/// small: x first, for each row of sites, by `add_sites` or by a kernel of the caller; then y and z.
class MomentumSums {
 public:
  /// Rows are in so many `parts`. Throws `Error` for a source outside the lattice and for an empty list of momenta.
  MomentumSums(const Lattice& lattice, const ContractionParameters& parameters, std::size_t components, int parts = 1);

  const Waves& waves(int direction) const { return waves_[static_cast<std::size_t>(direction)]; }
  const WaveValues& local_waves(int direction) const { return local_waves_[static_cast<std::size_t>(direction)]; }
  /// Adds slices: rows[slice][z][y][part][function of x][component].
  void add_rows(const SlicePass& pass, const Complex<double>* rows);
  /// Adds slices: values[slice][z][y][x][component].
  void add_sites(const SlicePass& pass, const Complex<double>* values);
  /// The sums over all processes, t relative to the source. Collective.
  SpatialSums result() const;

 private:
  struct SharedNumbers;

  std::size_t times() const { return static_cast<std::size_t>(lattice_.extents()[3]); }
  /// Fills the memory of momenta and functions by one copy, which no kernel waits for.
  void store_tables(int parts);
  /// sums[outer][k][inner] = sum_n waves(k, n) values[outer][n][inner]
  void sum_axis(std::unique_ptr<LatticeMemory>& sums, const Complex<double>* values, const WaveValues& waves,
                std::size_t outer, std::size_t inner) const;

  Lattice lattice_;
  ContractionParameters parameters_;
  std::size_t components_;
  Waves waves_[3];
  std::unique_ptr<LatticeMemory> tables_, of_rows_, of_planes_, of_slices_;
  const MomentumWaves* momenta_ = nullptr;             // in `tables_`
  WaveValues local_waves_[3];                          // of y for each part of a row
  std::shared_ptr<SharedNumbers> host_tables_, sums_;  // [momentum][t][component], those of this process until `result`
};

/// Slices of a pass, whose `numbers` complex numbers each remain in the caches of a host.
int slices_of_pass(std::size_t numbers, int slices);

/// A site in the lanes of V, as kernels of `sum_sites` see it.
struct LaneSite {
  int parity, index, lane;
  int x[4];  ///< in its virtual node
};

/// The place of the numbers of a site.
template <class V>
struct SiteValues {
  Complex<double>* of_lane[lane_count<V>];

  KOKKOS_FORCEINLINE_FUNCTION void store(int component, const Complex<V>& value) const {
    if constexpr (is_pack<V>) {
      for (int l = 0; l < lane_count<V>; ++l) {
        const auto lane = static_cast<std::size_t>(l);
        of_lane[l][component] = {value.re[lane], value.im[lane]};
      }
    } else {
      of_lane[0][component] = value;
    }
  }
};

/// Calls `kernel(site, values of the site)` on the sites of some slices of all virtual nodes, V at a time:
/// values[slice][z][y][x][component], the slices of one virtual node together.
template <class V, class Kernel>
struct SliceSites {
  Kernel kernel;
  Complex<double>* values;
  int components;
  int first, count;
  int extent[3], grid[3];  // of a virtual node, and virtual nodes
  int groups;              // of lanes

  KOKKOS_FUNCTION void operator()(const int number) const {
    LaneSite site;
    site.lane = number % groups * lane_count<V>;
    int rest = number / groups;
    for (int mu = 0; mu < 3; ++mu) {
      site.x[mu] = rest % extent[mu];
      rest /= extent[mu];
    }
    site.x[3] = first + rest;
    site.parity = (site.x[0] + site.x[1] + site.x[2] + site.x[3]) & 1;
    site.index = (site.x[0] + extent[0] * (site.x[1] + extent[1] * (site.x[2] + extent[2] * site.x[3]))) / 2;
    SiteValues<V> of_site;
    for (int l = 0; l < lane_count<V>; ++l) {
      int outer = site.lane + l, x[3];
      for (int mu = 0; mu < 3; ++mu) {
        x[mu] = site.x[mu] + outer % grid[mu] * extent[mu];
        outer /= grid[mu];
      }
      const int slice = outer * count + rest;
      const int place =
          ((slice * grid[2] * extent[2] + x[2]) * grid[1] * extent[1] + x[1]) * grid[0] * extent[0] + x[0];
      of_site.of_lane[l] = values + static_cast<std::size_t>(place) * static_cast<std::size_t>(components);
    }
    kernel(site, of_site);
  }
};

/// Sums of the `components` numbers that `store(first, count, values)` stores on the sites of some slices of all
/// virtual nodes of fields of T: values[slice][z][y][x][component]. Collective.
template <class T, class Store>
SpatialSums sum_slices(const Lattice& lattice, const ContractionParameters& parameters, int components,
                       const Store& store) {
  MomentumSums sums(lattice, parameters, static_cast<std::size_t>(components));
  const SiteMap map = SiteMap::of<T>(lattice);
  const int slices = map.inner[3];
  const std::size_t of_slice =
      static_cast<std::size_t>(lattice.local_volume() / slices) * static_cast<std::size_t>(components);
  const int most = slices_of_pass(of_slice, slices);
  const LatticeMemory values(lattice, of_slice * static_cast<std::size_t>(most));
  for (int first = 0; first < slices; first += most) {
    const int count = most < slices - first ? most : slices - first;
    store(first, count, values.data());
    sums.add_sites({first, count, slices, map.grid[3]}, values.data());
  }
  return sums.result();
}

/// Sums of the `components` numbers that `kernel` stores on each site, from fields of T. Collective.
template <class T, class V, class Kernel>
SpatialSums sum_sites(const char* label, const Lattice& lattice, const ContractionParameters& parameters,
                      int components, const Kernel& kernel) {
  const SiteMap map = SiteMap::of<T>(lattice);
  const int groups = lattice.lane_count<T>() / lane_count<V>;
  return sum_slices<T>(lattice, parameters, components, [&](int first, int count, Complex<double>* values) {
    const SliceSites<V, Kernel> sites{.kernel = kernel,
                                      .values = values,
                                      .components = components,
                                      .first = first,
                                      .count = count,
                                      .extent = {map.inner[0], map.inner[1], map.inner[2]},
                                      .grid = {map.grid[0], map.grid[1], map.grid[2]},
                                      .groups = groups};
    const int calls = map.inner[0] * map.inner[1] * map.inner[2] * count * groups;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Execution>(lattice.execution(), 0, calls), sites);
  });
}

/// Calls `body.template operator()<V>()` with lanes in double in which fields of T may be read.
template <class T, class Body>
decltype(auto) with_double_lanes(const Lattice& lattice, Body&& body) {
  if constexpr (is_pack<Pack<double>>) {
    if (lattice.lane_count<T>() == native_lanes<T>) return body.template operator()<Pack<double>>();
  }
  return body.template operator()<double>();
}

}  // namespace kaon::detail
