// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/twisted_cases.hpp"

#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <optional>
#include <utility>
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

/// Solves to rounding.
inline const SolveOptions exact{.tolerance = 1e-13, .force_tolerance = 1e-13, .inner = InnerPrecision::outer};

/// Solves and rational functions to rounding, of flavours or doublets.
inline RationalWilsonParameters exact_rational(double flavors = 1.0) {
  return {.flavors = flavors,
          .range = {0.02, 80.0},
          .errors = {.value = 1e-11, .force = 1e-11},
          .solver = {.tolerance = 1e-12, .force_tolerance = 1e-12, .inner = InnerPrecision::outer}};
}

/// mu, and mu' of the numerator, of `TwoFlavorAction`.
inline std::vector<std::pair<double, std::optional<double>>> mu_of_two_flavors() {
  return {{0.0, {}}, {0.4, {}}, {0.0, 0.4}, {0.4, 0.9}};
}

/// Quarks and heavier ones.
struct RatioCase {
  Quarks quarks, heavier;
};

/// Twisted masses as in chains of ratios, and masses of quarks without twist, whose operators have other hops' scales.
inline std::vector<RatioCase> ratio_cases() {
  std::vector<RatioCase> found;
  for (const Quarks& quarks : twisted_quarks()) {
    found.push_back({quarks, quarks});
    found.back().heavier.parameters.mu = found.back().heavier.slow.twisted_mass = 1.1;
  }
  for (const Quarks& quarks : untwisted_quarks()) {
    found.push_back({quarks, quarks});
    found.back().heavier.parameters.mass += 0.7;
    found.back().heavier.slow.mass += 0.7;
  }
  return found;
}

inline FermionParameters walls(double mass, double b = 1.5, double c = 0.5, int slices = 4) {
  return {.action = FermionAction::domain_wall, .mass = mass, .slices = slices, .b = b, .c = c};
}

inline FermionParameters doublet(double mu, double epsilon, bool clover) {
  return {.action = clover ? FermionAction::twisted_clover_doublet : FermionAction::twisted_doublet,
          .mass = 0.2,
          .mu = mu,
          .csw = 1.1,
          .boundary = {0.3, -0.7, 1.1, 2.5},
          .epsilon = epsilon};
}

struct StaggeredCase {
  std::vector<StaggeredPseudofermion> quarks;
  RationalStaggeredParameters parameters;
};

/// Two light quarks and a heavier one with a mass that stabilises them, and that mass by itself.
inline std::vector<StaggeredPseudofermion> staggered_quarks(StaggeredLinks links) {
  return {{.quarks = {{0.05, 2.0}, {0.2, 1.0}, {1.5, -3.0}}},
          {.quarks = {{0.3, 1.0}}, .naik_epsilon = links == StaggeredLinks::hisq ? -0.2 : 0.0}};
}

/// Staggered quarks on links of each kind, in both boundary conditions of HISQ.
inline std::vector<StaggeredCase> staggered_cases() {
  const RationalWilsonParameters rounding = exact_rational();
  std::vector<StaggeredCase> found;
  for (const auto& [links, antiperiodic] : {std::pair{StaggeredLinks::naive, true},
                                            {StaggeredLinks::asqtad, false},
                                            {StaggeredLinks::hisq, true},
                                            {StaggeredLinks::hisq, false}}) {
    found.push_back({staggered_quarks(links),
                     {.links = links,
                      .u0 = 0.9,
                      .antiperiodic = antiperiodic,
                      .errors = rounding.errors,
                      .solver = rounding.solver}});
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
