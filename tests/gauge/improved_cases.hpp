// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/improved_links.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/link_phases.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::test {

/// Rough links in SU(3).
inline GaugeField<double> random_links(const Lattice& lattice) {
  GaugeField<double> links(lattice);
  set_random(links, {.seed = 5});
  return links;
}

/// Rough links in U(3): the phase of each direction is another one.
inline GaugeField<double> charged_links(const Lattice& lattice) {
  GaugeField<double> links = random_links(lattice);
  multiply_phases(links, {0.3, -0.7, 1.1, 2.0});
  return links;
}

/// Links near 1, whose smeared links are far from singular.
inline GaugeField<double> weak_links(const Lattice& lattice) {
  GaugeField<double> links(lattice);
  set_weak(links, 0.3, {.seed = 6});
  return links;
}

/// A matrix of the reference in the type of kernels.
inline detail::ColorMatrix<double> to_matrix(const reference::ColorMatrix& a) {
  detail::ColorMatrix<double> result;
  for (std::size_t k = 0; k < 9; ++k) result.e[k / 3][k % 3] = {a[k].real(), a[k].imag()};
  return result;
}

/// The largest |a_ij - b_ij|.
inline double distance(const detail::ColorMatrix<double>& a, const detail::ColorMatrix<double>& b) {
  double largest = 0.0;
  for (int k = 0; k < 9; ++k) largest = std::max(largest, std::sqrt(norm2(a.e[k / 3][k % 3] - b.e[k / 3][k % 3])));
  return largest;
}

}  // namespace kaon::test
