// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>
#include <kaon/core/execution.hpp>

namespace kaon::detail {

// The order of a hypercube's components: see `HypercubeMap`. Bit mu of `y` is y_mu.

/// Components of a hypercube: 3 colours at 16 sites.
inline constexpr int hypercube_components = 48;
/// Numbers that hops between hypercubes have in a row: 3 colours along each direction.
inline constexpr int outer_columns = colors * directions;

/// The first component of site y.
KOKKOS_INLINE_FUNCTION constexpr int first_component(int y) {
  const int j = y >> 1, s = (y ^ j ^ j >> 1 ^ j >> 2) & 1;
  return hypercube_components / 2 * s + colors * j;
}
/// The site y of a component.
KOKKOS_INLINE_FUNCTION constexpr int site_of_component(int component) {
  const int s = component / (hypercube_components / 2), j = component % (hypercube_components / 2) / colors;
  return (s ^ (j & 1) ^ (j >> 1 & 1) ^ j >> 2) | j << 1;
}

}  // namespace kaon::detail
