// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/wilson_cases.hpp"

#include <vector>

namespace kaon::test {

/// Of the lattices on which actions are compared with the reference.
inline constexpr Coordinates extents{4, 2, 2, 4};

/// The quarks of all operator tests.
inline std::vector<WilsonCloverParameters> all_quarks() {
  std::vector<WilsonCloverParameters> found;
  for (FermionCase fermion : fermion_cases()) {
    if (!fermion.clover) fermion.parameters.csw = 0.0;
    found.push_back(fermion.parameters);
  }
  return found;
}

inline reference::WilsonOperator slow_operator(const reference::Links& links, const WilsonCloverParameters& quarks) {
  return {links, extents, reference_parameters({"", quarks.csw != 0.0, quarks})};
}

}  // namespace kaon::test
