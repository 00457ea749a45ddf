// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/ensemble_run.hpp"
#include "apps/quark/quark_options.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <optional>
#include <string>

namespace kaon::apps {

inline constexpr OptionWord<LoopWeights> gauge_actions[] = {
    {"wilson", wilson_weights}, {"symanzik", symanzik_weights}, {"iwasaki", iwasaki_weights}, {"dbw2", dbw2_weights}};
inline constexpr OptionWord<Integrator> integrators[] = {
    {"leapfrog", Integrator::leapfrog}, {"omelyan", Integrator::omelyan}, {"fourth-order", Integrator::fourth_order}};
inline constexpr OptionWord<KrylovMethod> action_solvers[] = {
    {"auto", KrylovMethod::automatic}, {"bicgstab", KrylovMethod::bicgstab}, {"multigrid", KrylovMethod::multigrid}};

/// Forms of the action of one flavour of domain wall quarks, and whether the action is exact.
inline constexpr OptionWord<bool> one_flavor_forms[] = {{"rational", false}, {"eofa", true}};

/// --action of `kaon hmc`.
const QuarkActions& hmc_actions();

/// The options of `kaon hmc`.
struct HmcOptions {
  EnsembleOptions run;
  double beta = 0;
  std::string gauge_action = "wilson";
  QuarkOptions quark{.action = "wilson"};
  std::string flavors, eigenvalues;
  std::optional<double> heavier_mass, mu_bar, epsilon_bar;
  std::string one_flavor = "rational";
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
