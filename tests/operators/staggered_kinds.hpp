// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/operators/rounding_errors.hpp"

#include <kaon/gauge/gauge_transformation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// The naive and the improved staggered operator, which have the same tests.

namespace kaon::test {

struct Naive {
  template <class T>
  using Dirac = Staggered<T>;
  using Parameters = StaggeredParameters;
  static std::vector<Lattice> lattices() { return test_lattices(); }
  static Lattice lattice(const Coordinates& extents, Lanes lanes = Lanes::native) {
    return Lattice({.extents = extents, .lanes = lanes});
  }
  static std::vector<Parameters> cases() { return staggered_cases(); }
  /// With links that may be stored so.
  template <class T>
  static Staggered<T> rough(const Lattice& lattice, const Parameters& parameters, LinkStorage = LinkStorage::full) {
    return Staggered<T>(rough_links<T>(lattice), parameters);
  }
  template <class T>
  static reference::StaggeredOperator slow(const Staggered<T>& dirac) {
    return slow_staggered(dirac.links(), dirac.parameters());
  }
  template <class T, class Transformation>
  static Staggered<T> transformed(const Staggered<T>& dirac, const Transformation& g) {
    GaugeField<T> links(dirac.lattice());
    links.from_host(reference::transform_links(dirac.links().to_host(), g, dirac.lattice().extents()));
    return Staggered<T>(links, dirac.parameters());
  }
  template <class T>
  static Staggered<T> free(const Lattice& lattice, const Parameters& parameters) {
    const GaugeField<T> links = unit_links<T>(lattice);
    return Staggered<T>(links, parameters);
  }
  /// Weights of the hops of `free`, over one site and over three.
  static constexpr double free_weights[] = {1.0, 0.0};

  static inline const std::vector<LinkStorage> storages =
      built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});
  /// |D|: eight terms of norm 1.
  static double hop_norm(const Parameters&) { return 8.0; }
  /// The error that links which are stored in T add to a hop, relative to |in|.
  template <class T>
  static double links_error(const Parameters&, LinkStorage storage) {
    return 8.0 * link_error<T>(storage);
  }
  static constexpr double flops = 570;
  /// Reals of the links of a hop.
  static double link_reals(LinkStorage storage) { return 8.0 * reals(storage); }
};

struct Improved {
  template <class T>
  using Dirac = ImprovedStaggered<T>;
  using Parameters = ImprovedStaggeredParameters;
  static std::vector<Lattice> lattices() { return improved_lattices(); }
  static Lattice lattice(const Coordinates& extents, Lanes lanes = Lanes::native) {
    return Lattice({.extents = extents, .lanes = lanes, .reach = 3});
  }
  static std::vector<Parameters> cases() { return improved_cases(); }
  template <class T>
  static ImprovedStaggered<T> rough(const Lattice& lattice, const Parameters& parameters,
                                    LinkStorage storage = LinkStorage::full) {
    return rough_improved<T>(lattice, parameters, storage);
  }
  template <class T>
  static reference::StaggeredOperator slow(const ImprovedStaggered<T>& dirac) {
    return slow_improved(dirac);
  }
  /// F_mu(x) -> g(x) F_mu(x) g(x+mu)^dag, T_mu(x) -> g(x) T_mu(x) g(x+3mu)^dag.
  template <class T, class Transformation>
  static ImprovedStaggered<T> transformed(const ImprovedStaggered<T>& dirac, const Transformation& g) {
    const Coordinates extents = dirac.lattice().extents();
    GaugeField<T> fat(dirac.lattice()), third(dirac.lattice());
    fat.from_host(reference::transform_links(dirac.fat().to_host(), g, extents, 1));
    third.from_host(reference::transform_links(dirac.third().to_host(), g, extents, 3));
    return ImprovedStaggered<T>(fat, third, dirac.parameters());
  }
  template <class T>
  static ImprovedStaggered<T> free(const Lattice& lattice, Parameters parameters) {
    GaugeField<T> fat(lattice), third(lattice);
    set_unit(third);
    std::vector<std::complex<double>> values = third.to_host();
    for (std::complex<double>& value : values) value *= free_weights[0];
    fat.from_host(values);
    parameters.third_weight = free_weights[1];
    return ImprovedStaggered<T>(fat, third, parameters);
  }
  static constexpr double free_weights[] = {9.0 / 8.0, -1.0 / 24.0};

  static inline const std::vector<LinkStorage> storages = third_storages;
  /// |D|: eight terms of each set.
  static double hop_norm(const Parameters& parameters) { return 8.0 * (fat_norm + std::abs(parameters.third_weight)); }
  /// 16-bit fat links have one scale, which is at most their norm.
  template <class T>
  static double links_error(const Parameters& parameters, LinkStorage storage) {
    return 8.0 *
           (fat_norm * link_error<T>(LinkStorage::full) + std::abs(parameters.third_weight) * link_error<T>(storage));
  }
  static constexpr double flops = 1146;
  static double link_reals(LinkStorage storage) { return 8.0 * (18 + reals(storage)); }
};

template <class Kind_, class T_>
struct Of {
  using Kind = Kind_;
  using T = T_;
};

}  // namespace kaon::test
