// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/ensemble_run.hpp"
#include "apps/quark/domain_wall_options.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <optional>
#include <string>

namespace kaon::apps {

inline constexpr OptionWord<LoopWeights> gauge_actions[] = {
    {"wilson", wilson_weights}, {"symanzik", symanzik_weights}, {"iwasaki", iwasaki_weights}, {"dbw2", dbw2_weights}};
inline constexpr OptionWord<Integrator> integrators[] = {
    {"leapfrog", Integrator::leapfrog}, {"omelyan", Integrator::omelyan}, {"fourth-order", Integrator::fourth_order}};
/// Links of staggered quarks; none: Wilson-like ones.
inline constexpr OptionWord<std::optional<StaggeredLinks>> quark_actions[] = {{"wilson", std::nullopt},
                                                                              {"domain-wall", std::nullopt},
                                                                              {"staggered", StaggeredLinks::naive},
                                                                              {"asqtad", StaggeredLinks::asqtad},
                                                                              {"hisq", StaggeredLinks::hisq}};
inline constexpr OptionWord<KrylovMethod> action_solvers[] = {
    {"auto", KrylovMethod::automatic}, {"bicgstab", KrylovMethod::bicgstab}, {"multigrid", KrylovMethod::multigrid}};

/// How one flavour of domain wall quarks is taken: whether its action is exact.
inline constexpr OptionWord<bool> one_flavor_forms[] = {{"rational", false}, {"eofa", true}};

/// Of `kaon hmc`.
struct HmcOptions {
  EnsembleOptions run;
  double beta = 0;
  std::string gauge_action = "wilson";
  std::string action = "wilson";
  std::string kappa, mass, flavors, eigenvalues, naik_epsilon;
  std::optional<double> u0, heavier_mass;
  std::optional<double> mu, mu_bar, epsilon_bar;
  double csw = 0;
  DomainWallOptions domain_wall{};
  std::string one_flavor = "rational";
  std::string boundary = "periodic,periodic,periodic,antiperiodic";
  std::string hasenbusch;
  double length = 1;
  std::string integrator = "omelyan";
  std::string steps;
  int accept_first = 0;
  int check_reversal = 0;
  std::string solver = "auto";
  double tolerance = 1e-10;
  double force_tolerance = 1e-8;
};

/// The options of the action, of trajectories and of solvers.
void add_hmc_options(const Command& command, HmcOptions& options);
}  // namespace kaon::apps
