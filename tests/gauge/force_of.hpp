// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/reference/layout.hpp"

#include <kaon/gauge/momenta.hpp>

namespace kaon::test {

/// TA of the matrices of a force.
inline reference::Links force_of(const GaugeField<double>& matrices) {
  GaugeField<double> momenta(matrices.lattice());
  kick_momenta(momenta, matrices, 1.0);
  return momenta.to_host();
}

}  // namespace kaon::test
