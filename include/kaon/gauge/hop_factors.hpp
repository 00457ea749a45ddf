// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// Numbers that a code multiplies its links by, where kaon's Wilson operators have parameters.
struct HopFactors {
  bool antiperiodic = false;  ///< in time: -1 on temporal links that cross the edge of the lattice
  double spatial = 1.0;       ///< on links in space: nu/xi_0 on anisotropic lattices
};

/// U_i(x) <- spatial U_i(x) for i = x, y, z; U_t(x) <- -U_t(x) on the last time slice where `antiperiodic`. Its inverse
/// is the call with 1/spatial. Throws `Error` for compressed links and a factor that is not finite.
template <class T>
void multiply_hop_factors(GaugeField<T>& links, const HopFactors& factors);

}  // namespace kaon
