// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/initial_links.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/operators/wilson.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kaon::test {

/// The first eight time slices of the quenched field of the examples, beta = 6.0, after sweeps that heal the seam.
inline GaugeField<double> quenched_links(int reach = 1) {
  static const std::vector<std::complex<double>> values = [] {
    std::vector<std::complex<double>> all =
        io::read_gauge<double>(Lattice({.extents = {8, 8, 8, 16}}), KAON_EXAMPLES "/quenched_b6.0_8x8x8x16.nersc")
            .to_host();
    all.resize(all.size() / 2);
    GaugeField<double> links(Lattice({.extents = {8, 8, 8, 8}}));
    links.from_host(all);
    for (std::uint32_t number = 0; number < 20; ++number) update(links, {.beta = 6.0, .seed = 23, .update = number});
    return links.to_host();
  }();
  GaugeField<double> links(Lattice({.extents = {8, 8, 8, 8}, .reach = reach}));
  links.from_host(values);
  return links;
}

/// Each link times an element of SU(3) at about this distance from 1.
inline GaugeField<double> changed(const GaugeField<double>& links, double distance) {
  GaugeField<double> weak = weak_links<double>(links.lattice(), distance, 8), product(links.lattice());
  const std::vector<std::complex<double>> u = links.to_host(), v = weak.to_host();
  std::vector<std::complex<double>> w(u.size());
  for (std::size_t link = 0; link < u.size(); link += 9) {
    for (std::size_t k = 0; k < 27; ++k) {
      const std::size_t row = k / 9, column = k / 3 % 3, inner = k % 3;
      w[link + 3 * row + column] += v[link + 3 * row + inner] * u[link + 3 * inner + column];
    }
  }
  product.from_host(w);
  return product;
}

inline WilsonCloverParameters at_kappa(double kappa) { return {.mass = mass_from_kappa(kappa), .csw = 1.769}; }

/// A small rough field, for tests of what solves do and not of how they converge.
inline GaugeField<double> small_links() { return weak_links<double>(Lattice({.extents = {8, 4, 4, 8}}), 0.4, 5); }

inline WilsonClover<double> small_clover(double mass = -0.2) {
  return WilsonClover<double>(small_links(), {.mass = mass, .csw = 1.0});
}

inline MultigridParameters small_levels(int vectors = 8) {
  return {.levels = {{.block = {4, 2, 2, 4}, .vectors = vectors, .bootstraps = 2}}};
}

/// Two levels, quick to set up.
inline MultigridParameters two_levels(int vectors = 16) {
  return {.levels = {{.block = {4, 4, 4, 4}, .vectors = vectors, .bootstraps = 2}}};
}

template <class T>
SpinorField<T> noise(const LinearOperator<T>& matrix, int right_hand_sides) {
  SpinorField<T> field = matrix.make_field(right_hand_sides);
  set_gaussian(field, {.seed = 77});
  return field;
}

}  // namespace kaon::test
