// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/staggered_cases.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/operators/staggered.hpp>

#include <complex>
#include <cstdint>
#include <map>
#include <vector>

namespace kaon::test {

/// Lattices of reach 3: the narrowest and one with unequal extents, which have W = 1, and one that takes the native
/// lanes of every precision.
inline std::vector<Lattice> improved_lattices() {
  std::vector<Lattice> lattices;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 4}, Coordinates{4, 6, 4, 8}, Coordinates{8, 8, 8, 8}}) {
    lattices.emplace_back(LatticeParameters{.extents = extents, .reach = 3});
  }
  return lattices;
}

/// Usual boundaries, and complex phases in all directions.
inline std::vector<ImprovedStaggeredParameters> improved_cases() {
  return {{.mass = 0.2}, {.mass = 0.7, .third_weight = -0.11, .boundary = {0.3, -0.7, 1.1, 2.5}}};
}

inline std::string describe(const Lattice& lattice, const ImprovedStaggeredParameters& parameters) {
  return describe(lattice, StaggeredParameters{.mass = parameters.mass});
}

inline reference::StaggeredParameters reference_parameters(const ImprovedStaggeredParameters& parameters) {
  reference::StaggeredParameters result =
      reference_parameters(StaggeredParameters{parameters.mass, parameters.boundary});
  result.third_weight = parameters.third_weight;
  return result;
}

/// Links of host values that are made once for all lattices of these extents which processes do not share.
class KeptLinks {
 public:
  using Values = std::vector<std::complex<double>>;
  template <class Make>
  GaugeField<double> on(const Lattice& lattice, const Make& make) {
    GaugeField<double> links(lattice);
    if (lattice.local_volume() != lattice.volume()) {
      links.from_host(make());
      return links;
    }
    if (!kept_.contains(lattice.extents())) kept_.emplace(lattice.extents(), make());
    links.from_host(kept_.at(lattice.extents()));
    return links;
  }

 private:
  std::map<Coordinates, Values> kept_{};
};

/// Fat links: in no group, with elements up to `fat_norm`.
constexpr double fat_norm = 1.3;
template <class T>
GaugeField<T> rough_fat_links(const Lattice& lattice) {
  static KeptLinks kept;
  const GaugeField<double> links = kept.on(lattice, [&] {
    std::vector<std::complex<double>> fat = hot_links<double>(lattice, 5).to_host();
    const std::vector<std::complex<double>> other = hot_links<double>(lattice, 6).to_host();
    for (std::size_t k = 0; k < fat.size(); ++k) fat[k] += (fat_norm - 1.0) * other[k];
    return fat;
  });
  return GaugeField<T>(links, LinkStorage::full);
}

/// Third links: in U(3), whose phases are those of another field's elements.
template <class T>
GaugeField<T> rough_third_links(const Lattice& lattice) {
  static KeptLinks kept;
  const GaugeField<double> links = kept.on(lattice, [&] {
    std::vector<std::complex<double>> third = hot_links<double>(lattice, 7).to_host();
    const std::vector<std::complex<double>> other = hot_links<double>(lattice, 8).to_host();
    for (std::size_t k = 0; k < third.size(); ++k) third[k] *= std::polar(1.0, 3.0 * other[k / 9 * 9].real());
    return third;
  });
  return GaugeField<T>(links, LinkStorage::full);
}

template <class T>
ImprovedStaggered<T> rough_improved(const Lattice& lattice, const ImprovedStaggeredParameters& parameters) {
  return ImprovedStaggered<T>(rough_fat_links<T>(lattice), rough_third_links<T>(lattice), parameters);
}

/// All storages of third links, which are in full, in U(3) or, without a determinant, in SU(3).
inline const std::vector<LinkStorage> third_storages =
    built({LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
           LinkStorage::minimal_and_determinant, LinkStorage::minimal});

/// Cases with third links that may be stored so.
template <class T>
ImprovedStaggered<T> rough_improved(const Lattice& lattice, const ImprovedStaggeredParameters& parameters,
                                    LinkStorage storage) {
  const bool special = storage == LinkStorage::two_rows || storage == LinkStorage::minimal;
  if (!special) return rough_improved<T>(lattice, parameters);
  return ImprovedStaggered<T>(rough_fat_links<T>(lattice),
                              GaugeField<T>(hot_links<double>(lattice, 7), LinkStorage::full), parameters);
}

template <class T>
reference::StaggeredOperator slow_improved(const ImprovedStaggered<T>& dirac) {
  return reference::StaggeredOperator(dirac.fat().to_host(), dirac.third().to_host(), dirac.lattice().extents(),
                                      reference_parameters(dirac.parameters()));
}

}  // namespace kaon::test
