// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/measure/contractions.hpp>

#include <cstddef>
#include <vector>

namespace kaon::detail {

using ComplexValues = Kokkos::View<Complex<double>*, Memory>;
using WaveValues = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

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

/// Sums over space with the phases of several momenta, one direction after another, so that the cost of a momentum is
/// small: x first, for each row of sites, by `add_sites` or by a kernel of the caller; then y and z.
class MomentumSums {
 public:
  /// Throws `Error` for a source outside the lattice and for an empty list of momenta.
  MomentumSums(const Lattice& lattice, const ContractionParameters& parameters, std::size_t components);

  const Waves& waves(int direction) const { return waves_[static_cast<std::size_t>(direction)]; }
  /// Adds slices: rows[slice][z][y][part][function of x][component], each row in `parts` parts. times[slice] is the
  /// local time of a slice.
  void add_rows(const std::vector<int>& times, int parts, const ComplexValues& rows);
  /// Adds slices: values[slice][z][y][x][component].
  void add_sites(const std::vector<int>& times, const ComplexValues& values);
  /// The sums over all processes, t relative to the source. Collective.
  SpatialSums result() const;

 private:
  WaveValues local_waves(std::size_t direction, int parts) const;
  ComplexValues sum_axis(const ComplexValues& values, const WaveValues& waves, std::size_t outer,
                         std::size_t inner) const;

  Lattice lattice_;
  ContractionParameters parameters_;
  std::size_t components_;
  Waves waves_[3];
  SpatialSums sums_;  // t absolute
};

/// Slices that a pass takes, so that `numbers` complex numbers of a slice fit into 64 MiB.
int slices_of_pass(std::size_t numbers, int slices);

/// Sums of `components` numbers on each site: `launch(first, count, values)` stores values[slice][z][y][x][component]
/// of the slices first, .., first + count - 1. Collective.
template <class Launch>
SpatialSums sum_sites(const Lattice& lattice, const ContractionParameters& parameters, std::size_t components,
                      const Launch& launch) {
  MomentumSums sums(lattice, parameters, components);
  const int length = lattice.local_extents()[3];
  const std::size_t of_slice = static_cast<std::size_t>(lattice.local_volume() / length) * components;
  const int most = slices_of_pass(of_slice, length);
  const ComplexValues values(Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, "kaon::contractions"),
                             of_slice * static_cast<std::size_t>(most));
  for (int first = 0; first < length; first += most) {
    std::vector<int> times;
    for (int t = first; t < length && t < first + most; ++t) times.push_back(t);
    launch(first, static_cast<int>(times.size()), values);
    sums.add_sites(times, values);
  }
  return sums.result();
}

/// Calls `kernel(x, values of the site)` on the sites of some slices, for `sum_sites`.
template <class Kernel>
struct SliceSites {
  Kernel kernel;
  Complex<double>* values;
  std::size_t components;
  int first;
  int extent[3];

  KOKKOS_FUNCTION void operator()(const int number) const {
    int x[4], rest = number;
    for (int mu = 0; mu < 3; ++mu) {
      x[mu] = rest % extent[mu];
      rest /= extent[mu];
    }
    x[3] = first + rest;
    kernel(x, values + static_cast<std::size_t>(number) * components);
  }
};

template <class Kernel>
SpatialSums sum_site_kernel(const char* label, const Lattice& lattice, const ContractionParameters& parameters,
                            std::size_t components, const Kernel& kernel) {
  return sum_sites(lattice, parameters, components, [&](int first, int count, const ComplexValues& values) {
    const Coordinates& extents = lattice.local_extents();
    const int sites = extents[0] * extents[1] * extents[2] * count;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Execution>(lattice.execution(), 0, sites),
        SliceSites<Kernel>{kernel, values.data(), components, first, {extents[0], extents[1], extents[2]}});
  });
}

}  // namespace kaon::detail
