// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/improved_links.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/link_phases.hpp>

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

}  // namespace kaon::test
