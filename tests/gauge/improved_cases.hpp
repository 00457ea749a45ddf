// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/improved_links.hpp"

#include <kaon/gauge/link_phases.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::test {

/// Lattices with three different extents, one of them 2; the reference of HYP smearing is slow.
inline std::vector<Lattice> small_lattices() {
  std::vector<Lattice> lattices;
  for (const Coordinates& extents : {Coordinates{2, 6, 4, 2}, Coordinates{8, 4, 4, 2}}) {
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      lattices.emplace_back(LatticeParameters{.extents = extents, .lanes = lanes});
    }
  }
  return lattices;
}

/// Rough links in SU(3).
inline GaugeField<double> random_links(const Lattice& lattice) { return hot_links<double>(lattice, 5); }

/// Rough links in U(3): the phase of each direction is another one.
inline GaugeField<double> charged_links(const Lattice& lattice) {
  GaugeField<double> links = random_links(lattice);
  multiply_phases(links, {0.3, -0.7, 1.1, 2.0});
  return links;
}

/// Links near 1, whose smeared links are far from singular.
inline GaugeField<double> weak_links(const Lattice& lattice) { return test::weak_links<double>(lattice, 0.3, 6); }

/// A matrix of the reference in the type of kernels.
inline detail::ColorMatrix<double> to_matrix(const reference::ColorMatrix& a) {
  detail::ColorMatrix<double> result;
  for (std::size_t k = 0; k < 9; ++k) result.e[k / 3][k % 3] = {a[k].real(), a[k].imag()};
  return result;
}

/// The largest |a_ij - b_ij|.
inline double distance(const detail::ColorMatrix<double>& a, const detail::ColorMatrix<double>& b) {
  double largest = 0.0;
  for (int k = 0; k < 9; ++k) largest = larger(largest, std::sqrt(norm2(a.e[k / 3][k % 3] - b.e[k / 3][k % 3])));
  return largest;
}

}  // namespace kaon::test
