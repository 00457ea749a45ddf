// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/initial_links.hpp"
#include "tests/reference/staggered.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/operators/staggered.hpp>

#include <complex>
#include <string>
#include <vector>

namespace kaon::test {

/// Usual boundaries, and complex phases in all directions.
inline std::vector<StaggeredParameters> staggered_cases() {
  return {{.mass = 0.2}, {.mass = 0.7, .boundary = {0.3, -0.7, 1.1, 2.5}}};
}

inline std::string describe(const Lattice& lattice, const StaggeredParameters& parameters) {
  return "mass " + std::to_string(parameters.mass) + " on " + to_string(lattice.extents()) +
         (lattice.lanes() == Lanes::single ? ", one lane" : ", native lanes");
}

inline reference::StaggeredParameters reference_parameters(const StaggeredParameters& parameters) {
  reference::StaggeredParameters result{.mass = parameters.mass};
  for (std::size_t mu = 0; mu < 4; ++mu) result.boundary_phases[mu] = std::polar(1.0, parameters.boundary[mu]);
  return result;
}

template <class T>
reference::StaggeredOperator slow_staggered(const GaugeField<T>& links, const StaggeredParameters& parameters) {
  return reference::StaggeredOperator(links.to_host(), links.lattice().extents(), reference_parameters(parameters));
}

/// Independent random links: nothing in the staggered operator requires smooth ones.
template <class T>
GaugeField<T> rough_links(const Lattice& lattice) {
  return hot_links<T>(lattice, 5);
}

/// Normal numbers on all sites.
template <class T>
SpinorField<T> gaussian_colors(const Lattice& lattice, int right_hand_sides) {
  SpinorField<double> chi(lattice, {.spins = 1, .right_hand_sides = right_hand_sides});
  set_gaussian(chi, {.seed = 11});
  SpinorField<T> rounded(lattice, chi.parameters());
  blas::copy(rounded, chi);
  return rounded;
}

}  // namespace kaon::test
