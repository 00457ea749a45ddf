// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/geometry.hpp"

namespace kaon::detail {

/// The sites of one parity in a layer of a sub-lattice with constant x_mu, numbered from 0. Sites that differ in x_mu
/// and parity alone have the same number.
struct FaceSites {
  int sites = 0;
  int mu = 0;
  int first, second, third;  ///< the other directions; the numbers of `first` count pairs of sites
  Divisor by_first, by_second;
  int half_first, extent_second;

  FaceSites() = default;
  FaceSites(const SubLattice& node, int direction) : mu(direction) {
    first = mu == 0 ? 1 : 0;
    second = mu <= 1 ? 2 : 1;
    third = mu == 3 ? 2 : 3;
    half_first = node.extent[first] / 2;
    extent_second = node.extent[second];
    by_first = Divisor(half_first);
    by_second = Divisor(extent_second);
    sites = half_first * extent_second * node.extent[third];
  }

  /// The site of `parity` with this number and x_mu.
  KOKKOS_FORCEINLINE_FUNCTION Site site(const SubLattice& node, int number, int x_mu, int parity) const {
    int pair, b;
    int rest = by_first.divide(number, pair);
    const int c = by_second.divide(rest, b);
    const int a = 2 * pair + ((b + c + x_mu + parity) & 1);
    // Constant indices, so that coordinates remain in registers.
    Site s;
    s.x[0] = mu == 0 ? x_mu : a;
    s.x[1] = mu == 0 ? a : mu == 1 ? x_mu : b;
    s.x[2] = mu <= 1 ? b : mu == 2 ? x_mu : c;
    s.x[3] = mu == 3 ? x_mu : c;
    s.parity = parity;
    s.index = s.x[0] / 2 + s.x[1] * node.stride[1] + s.x[2] * node.stride[2] + s.x[3] * node.stride[3];
    return s;
  }
  KOKKOS_FORCEINLINE_FUNCTION int number(const Site& s) const {
    const int a = mu == 0 ? s.x[1] : s.x[0];
    const int b = mu <= 1 ? s.x[2] : s.x[1];
    const int c = mu == 3 ? s.x[2] : s.x[3];
    return (c * extent_second + b) * half_first + a / 2;
  }
};

}  // namespace kaon::detail
