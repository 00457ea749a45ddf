// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/twisted_cases.hpp"

#include <kaon/quarks/make_quark.hpp>

#include <vector>

namespace kaon::test {

/// Extents of the lattices on which actions are compared with the reference.
inline constexpr Coordinates extents{4, 2, 2, 4};

/// The quarks of all operator tests, and their forms for the reference.
struct Quarks {
  FermionParameters parameters;
  reference::WilsonParameters slow;
};

inline Quarks quarks_of(FermionAction plain, FermionAction clover, const FermionCase& fermion, double mu,
                        const reference::WilsonParameters& slow) {
  const WilsonCloverParameters& p = fermion.parameters;
  return {{.action = fermion.clover ? clover : plain,
           .mass = p.mass,
           .mu = mu,
           .csw = p.csw,
           .csw_temporal = p.csw_temporal,
           .anisotropy = p.anisotropy,
           .boundary = p.boundary},
          slow};
}

inline std::vector<Quarks> untwisted_quarks() {
  std::vector<Quarks> found;
  for (const FermionCase& fermion : fermion_cases()) {
    found.push_back(
        quarks_of(FermionAction::wilson, FermionAction::wilson_clover, fermion, 0.0, reference_parameters(fermion)));
  }
  return found;
}

inline std::vector<Quarks> twisted_quarks() {
  std::vector<Quarks> found;
  for (const TwistedCase& twisted : twisted_cases()) {
    found.push_back(quarks_of(FermionAction::twisted_mass, FermionAction::twisted_clover, twisted.fermion, twisted.mu,
                              reference_parameters(twisted)));
  }
  return found;
}

inline bool has_clover_term(const Quarks& quarks) {
  return quarks.parameters.action == FermionAction::wilson_clover ||
         quarks.parameters.action == FermionAction::twisted_clover;
}

inline reference::WilsonOperator slow_operator(const reference::Links& links, const Quarks& quarks) {
  return {links, extents, quarks.slow};
}

}  // namespace kaon::test
