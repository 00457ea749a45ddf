// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/operator_options.hpp"
#include "core/lattice/agreement.hpp"

#include <kaon/operators/wilson.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::capi {

double mass_of(const kaon_operator_options& given) {
  const bool mass = !std::isnan(given.mass), kappa = !std::isnan(given.kappa);
  require(mass != kappa,
          mass ? "both mass and kappa are set: set one of them" : "neither mass nor kappa is set: set one of them");
  return mass ? given.mass : mass_from_kappa(given.kappa);
}

BoundaryAngles boundary_of(const kaon_operator_options& given) {
  BoundaryAngles angles;
  std::copy_n(given.boundary, 4, angles.begin());
  require(std::all_of(angles.begin(), angles.end(), [](double angle) { return std::isfinite(angle); }), [&] {
    return fmt::format("the boundary ({}, {}, {}, {}) is not four angles", angles[0], angles[1], angles[2], angles[3]);
  });
  return angles;
}

bool is_antiperiodic_in_time(const kaon_operator_options& given) {
  const BoundaryAngles angles = boundary_of(given);
  require(angles == antiperiodic_in_time || angles == periodic, [&] {
    return fmt::format(
        "the boundary ({}, {}, {}, {}): staggered quarks of hybrid Monte Carlo are periodic in space, and "
        "periodic or antiperiodic in time",
        angles[0], angles[1], angles[2], angles[3]);
  });
  return angles == antiperiodic_in_time;
}

void require_same(const Lattice& lattice, const kaon_operator_options& given) {
  detail::require_same(
      lattice.communicator(), "operators",
      fmt::format(
          "action {}, mass {}, kappa {}, mu {}, csw {} (temporal {}), xi0 {}, nu {}, boundary ({}, {}, {}, {}), "
          "u0 {}, naik_epsilon {}",
          given.action, given.mass, given.kappa, given.mu, given.csw, given.csw_temporal, given.xi0, given.nu,
          given.boundary[0], given.boundary[1], given.boundary[2], given.boundary[3], given.u0, given.naik_epsilon));
}

FermionParameters fermion_parameters(const kaon_operator_options& given) {
  FermionParameters parameters{.action = choice<FermionAction>(given.action, 5, "action"),
                               .mass = mass_of(given),
                               .mu = given.mu,
                               .csw = given.csw,
                               .anisotropy = {.xi0 = given.xi0, .nu = given.nu},
                               .boundary = boundary_of(given)};
  if (!std::isnan(given.csw_temporal)) parameters.csw_temporal = given.csw_temporal;
  return parameters;
}

}  // namespace kaon::capi
