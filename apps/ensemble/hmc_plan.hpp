// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/ensemble_run.hpp"
#include "apps/quark/quark_options.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  std::optional<double> beta;
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

/// Quarks of one mass.
struct QuarkPlan {
  FermionParameters physics;
  double flavors = 2;
};

/// The quarks, their split and the steps of the options of `kaon hmc`.
struct HmcPlan {
  std::vector<QuarkPlan> quarks;
  std::optional<FermionParameters> heavy_doublet;  ///< beside them
  std::vector<double> mu;                          ///< of Hasenbusch's ratios
  SpectralRange range = RationalWilsonParameters{}.range;
  std::vector<int> steps;

  /// The family of all quarks; Wilson's, if there are none.
  const FermionFamily& family() const {
    return family_of(quarks.empty() ? FermionAction::wilson : quarks[0].physics.action);
  }
  /// All determinants are powers of one by rational functions, in one term: those of staggered quarks.
  bool is_rational() const { return family().is_staggered(); }
  /// Terms of the action.
  std::size_t terms() const {
    if (is_rational()) return 1;
    std::size_t count = heavy_doublet ? 1 : 0;
    for (const QuarkPlan& quark : quarks) count += quark.flavors == 2 ? mu.size() + 1 : 1;
    return count;
  }
};

/// Throws `Failure` for options that contradict each other or lack one.
HmcPlan plan_of(const HmcOptions& options);
/// The terms of quarks on one scale or one each, the gauge action on the last. Throws `Failure` for quarks that there
/// are not.
std::vector<TimeScale> time_scales(const HmcOptions& options, const HmcPlan& plan);
/// --kappa and its values for the parameter "mass" of quarks that have been given by --kappa; see `OptionBehind`.
std::pair<std::string, Json> option_behind(const HmcOptions& given, const std::string& name, const Json& options);
/// The options that determine the links, for checkpoints.
Json to_json(const HmcOptions& options, const HmcPlan& plan);

}  // namespace kaon::apps
