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

void require_read(const kaon_operator_options& given, std::string_view reader,
                  const std::vector<std::string_view>& read) {
  const auto has_clover = [](double csw) { return !std::isnan(csw) && csw != 0.0; };
  require_read(reader, read,
               {{"mass", !std::isnan(given.mass)},
                {"kappa", !std::isnan(given.kappa)},
                {"mu", given.mu != 0.0},
                {"csw", has_clover(given.csw)},
                {"csw_temporal", has_clover(given.csw_temporal)},
                {"xi0", given.xi0 != 1.0},
                {"nu", given.nu != 1.0},
                {"u0", !std::isnan(given.u0)},
                {"naik_epsilon", given.naik_epsilon != 0.0}});
}

void require_read(const kaon_operator_options& given) {
  switch (choice<kaon_action>(given.action, 7, "action")) {
    case KAON_WILSON:
      return require_read(given, "KAON_WILSON", {"mass", "kappa", "xi0", "nu"});
    case KAON_WILSON_CLOVER:
      return require_read(given, "KAON_WILSON_CLOVER", {"mass", "kappa", "csw", "csw_temporal", "xi0", "nu"});
    case KAON_TWISTED_MASS:
      return require_read(given, "KAON_TWISTED_MASS", {"mass", "kappa", "mu", "xi0", "nu"});
    case KAON_TWISTED_CLOVER:
      return require_read(given, "KAON_TWISTED_CLOVER", {"mass", "kappa", "mu", "csw", "csw_temporal", "xi0", "nu"});
    case KAON_STAGGERED:
      return require_read(given, "KAON_STAGGERED", {"mass"});
    case KAON_ASQTAD:
      return require_read(given, "KAON_ASQTAD", {"mass", "u0"});
    case KAON_HISQ:
      return require_read(given, "KAON_HISQ", {"mass", "naik_epsilon"});
  }
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
                               .anisotropy = {.xi0 = given.xi0, .nu = given.nu},
                               .boundary = boundary_of(given)};
  if (!std::isnan(given.csw)) parameters.csw = given.csw;
  if (!std::isnan(given.csw_temporal)) parameters.csw_temporal = given.csw_temporal;
  return parameters;
}

}  // namespace kaon::capi
