// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/ensemble.hpp"
#include "apps/quark/quark_options.hpp"

#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/smeared_term.hpp>
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
/// Symanzik's action at one loop, whose weights depend on `--gauge-u0` and `--gauge-flavors`.
inline constexpr const char* one_loop_action_word = "one-loop";
/// Forms of the action of one flavour of domain wall quarks, and whether the action is exact.
inline constexpr OptionWord<bool> one_flavor_forms[] = {{"rational", false}, {"eofa", true}};

/// --action of `kaon hmc`.
const QuarkActions& hmc_actions();

/// The options of `kaon hmc`.
struct HmcOptions {
  EnsembleOptions run;
  std::optional<double> beta;
  std::string gauge_action = "wilson";
  std::optional<double> gauge_u0, gauge_flavors;
  QuarkOptions quark{.action = "wilson"};
  std::string flavors, eigenvalues;
  std::optional<double> heavier_mass, mu_bar, epsilon_bar;
  std::string one_flavor = "rational";
  std::string hasenbusch;
  std::string stout;
  double length = 1;
  std::string integrator = "omelyan";
  std::string steps;
  std::optional<double> tune_steps;  ///< the acceptance
  int accept_first = 0;
  int check_reversal = 0;
  int forecast = 0;
  std::string method = "auto";
  SolveOptions solver{};
};

/// The options of the action, of trajectories and of solvers.
void add_hmc_options(const Command& command, HmcOptions& options);

/// Quarks of one mass.
struct QuarkPlan {
  FermionParameters physics;
  double flavors = 2;
};

/// The quarks, their split, the steps and integrators of the options of `kaon hmc`.
struct HmcPlan {
  const FermionFamily* quark_family;  ///< of --action, also if there are no quarks
  std::vector<QuarkPlan> quarks{};
  std::optional<FermionParameters> heavy_doublet{};  ///< beside them
  std::vector<double> mu{};                          ///< of Hasenbusch's ratios
  std::optional<StoutSmearing> stout{};              ///< of the links of quarks
  SpectralRange range = RationalWilsonParameters{}.range;
  std::vector<int> steps{};
  std::vector<Integrator> integrators{};  ///< of each time scale

  OneLoopWeights gauge{};    ///< of the gauge action
  double gauge_flavors = 0;  ///< in these weights

  const FermionFamily& family() const { return *quark_family; }
  /// All determinants are powers of one by rational functions, in one term.
  bool is_rational() const { return !quarks.empty() && family().several_masses; }
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
