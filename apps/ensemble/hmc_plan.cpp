// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_plan.hpp"

#include "apps/cli/option_values.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

namespace kaon::apps {
namespace {

/// Shifted systems and multigrid iterate in single precision.
const NumberRange of_trajectories = range_in_single("hybrid Monte Carlo");

/// The numbers of an option; none if it is not given.
std::vector<double> numbers_of(const std::string& option, const std::string& text) {
  return text.empty() ? std::vector<double>{} : parse_numbers(option, text);
}

void plan_quarks(const HmcOptions& given, HmcPlan& plan) {
  const FermionFamily& family = plan.family();
  const std::vector<double> masses = masses_of(given.quark, family, of_trajectories);
  for (const double mass : masses) {
    if (!family.has_pauli_villars || (mass >= 0 && mass < pauli_villars_mass)) continue;
    throw usage_error(
        fmt::format("--mass: domain wall quarks of mass {}: give one from 0 to below 1, that of the "
                    "Pauli-Villars fields which divide their determinant",
                    mass));
  }
  FermionParameters physics = fermion_parameters(given.quark, family, of_trajectories);
  for (const auto& [option, numbers] :
       {std::pair("--b", &physics.b_of_slices), std::pair("--c", &physics.c_of_slices)}) {
    if (numbers->empty()) continue;
    throw usage_error(fmt::format("{}: hybrid Monte Carlo takes one number for all slices", option));
  }
  if (family.several_masses && physics.boundary != antiperiodic_in_time && physics.boundary != periodic) {
    throw usage_error("--boundary: staggered quarks are periodic in space, and periodic or antiperiodic in time");
  }
  const std::vector<double> flavors = numbers_of_masses("--flavors", given.flavors, masses.size(), 2.0);
  const std::vector<double> epsilons =
      numbers_of_masses("--naik-epsilon", given.quark.naik_epsilon, masses.size(), 0.0);
  for (std::size_t k = 0; k < masses.size(); ++k) {
    if (flavors[k] <= 0) throw usage_error(fmt::format("--flavors: {} is not a number above 0", flavors[k]));
    require_range("--naik-epsilon", epsilons[k], of_trajectories);
    physics.mass = masses[k];
    physics.naik_epsilon = epsilons[k];
    require_possible(given.quark, physics);
    plan.quarks.push_back({.physics = physics, .flavors = flavors[k]});
  }
}

/// With quarks of one mass that are twisted.
void plan_heavy_doublet(const HmcOptions& given, HmcPlan& plan) {
  if (!given.mu_bar && !given.epsilon_bar) return;
  if (!given.mu_bar) throw usage_error("--epsilon-bar: needs --mu-bar, the twisted mass of the heavy doublet");
  if (!given.epsilon_bar) throw usage_error("--mu-bar: needs --epsilon-bar, the splitting of the heavy doublet");
  if (!given.quark.has("--mu") || plan.quarks.size() != 1) {
    throw usage_error("--mu-bar: the heavy doublet is beside a light one of --mu and one --kappa or --mass");
  }
  plan.heavy_doublet = plan.quarks[0].physics;
  plan.heavy_doublet->action =
      given.quark.has_csw() ? FermionAction::twisted_clover_doublet : FermionAction::twisted_doublet;
  plan.heavy_doublet->mu = *given.mu_bar;
  plan.heavy_doublet->epsilon = *given.epsilon_bar;
}

/// Refuses options of quarks that the plan does not have.
void refuse_options_of_others(const HmcOptions& given, const HmcPlan& plan) {
  const auto refuse = [&](std::initializer_list<const char*> options, const char* why) {
    for (const char* option : options) {
      if (given.quark.has(option)) throw usage_error(fmt::format("{}: {}", option, why));
    }
  };
  if (plan.quarks.empty()) {
    return refuse(
        {"--mu", "--csw", "--hasenbusch", "--flavors", "--action", "--boundary", "--tolerance", "--force-tolerance",
         "--forecast", "--solver", "--eigenvalues", "--one-flavor", "--heavier-mass", "--stout"},
        "without --kappa or --mass there are no quarks");
  }
  const FermionFamily& family = plan.family();
  const bool walls = family.has_pauli_villars, staggered = plan.is_rational();
  const auto has_flavors = [&](const auto& wanted) {
    return std::ranges::any_of(plan.quarks, wanted, &QuarkPlan::flavors);
  };
  const bool two = !staggered && has_flavors([](double flavors) { return flavors == 2; });
  const bool others = staggered || has_flavors([](double flavors) { return flavors != 2; });
  if (!two || walls || given.quark.has("--mu")) {
    refuse({"--solver"}, "is for two flavours of Wilson or clover quarks: others are solved by conjugate gradients");
  }
  if (others) refuse({"--mu"}, "is for doublets, two flavours of each mass");
  if (staggered) refuse({"--hasenbusch"}, "is for Wilson-like quarks");
  if (!two) refuse({"--hasenbusch"}, "splits the determinant of two flavours, and no quark has two");
  if (!others && !plan.heavy_doublet) {
    refuse({"--eigenvalues"}, "is for rational functions, and two flavours need none");
  }
  if (!walls) refuse({"--one-flavor"}, "is for domain wall quarks");
  const bool one = has_flavors([](double flavors) { return flavors == 1; });
  if (!one) refuse({"--one-flavor"}, "no quark has one flavour: --flavors 1");
  if (!two && !(one && value_of(one_flavor_forms, given.one_flavor))) {
    refuse({"--forecast"}, "is for two flavours and --one-flavor eofa: rational functions solve from zero");
  }
  if (!staggered) refuse({"--heavier-mass"}, "is for staggered quarks");
  const auto is_lighter = [&](const QuarkPlan& quark) { return quark.physics.mass < given.heavier_mass; };
  if (std::ranges::none_of(plan.quarks, is_lighter)) refuse({"--heavier-mass"}, "no quark is lighter");
}

void plan_ratios(const HmcOptions& given, HmcPlan& plan) {
  plan.mu = numbers_of("--hasenbusch", given.hasenbusch);
  for (std::size_t k = 0; k < plan.mu.size(); ++k) {
    const bool falls = plan.mu[k] > 0 && (k == 0 || plan.mu[k] < plan.mu[k - 1]);
    if (!falls) throw usage_error(fmt::format("--hasenbusch: {}: give falling numbers above 0", given.hasenbusch));
    require_range("--hasenbusch", plan.mu[k], of_trajectories);
  }
  for (const QuarkPlan& quark : plan.quarks) {
    if (!plan.family().has_pauli_villars || plan.mu.empty() || quark.flavors != 2) continue;
    if (plan.mu.front() < pauli_villars_mass && plan.mu.back() > quark.physics.mass) continue;
    throw usage_error(
        fmt::format("--hasenbusch: {}: give falling masses below 1, that of Pauli-Villars fields, and "
                    "above --mass {}",
                    given.hasenbusch, quark.physics.mass));
  }
  const double mu = given.quark.numbers.mu;
  if (given.quark.has("--mu") && !plan.mu.empty() && plan.mu.back() <= std::abs(mu)) {
    throw usage_error(fmt::format("--hasenbusch: {}: give falling twisted masses above --mu {}", given.hasenbusch, mu));
  }
}

/// "RHO,LEVELS" or "RHO_X,RHO_Y,RHO_Z,RHO_T,LEVELS"
void plan_smearing(const HmcOptions& given, HmcPlan& plan) {
  const std::vector<double> numbers = numbers_of("--stout", given.stout);
  if (numbers.empty()) return;
  if (numbers.size() != 2 && numbers.size() != 5) {
    throw usage_error(
        fmt::format("--stout: {}: give rho and the number of levels, 0.125,1, or rho in x, y, z and t and "
                    "the number of levels",
                    given.stout));
  }
  constexpr double most_levels = 1000;
  const double levels = numbers.back();
  if (!(levels >= 1 && levels <= most_levels && levels == std::floor(levels))) {
    throw usage_error(fmt::format("--stout: {} is not a number of levels", levels));
  }
  StoutSmearing smearing{.rho = {}, .levels = static_cast<int>(levels)};
  for (std::size_t mu = 0; mu < 4; ++mu) smearing.rho[mu] = numbers[numbers.size() == 2 ? 0 : mu];
  try {
    require_possible(smearing);
  } catch (const Error& error) {
    throw usage_error(fmt::format("--stout: {}", error.what()));
  }
  plan.stout = smearing;
}

void plan_range(const HmcOptions& given, HmcPlan& plan) {
  const std::vector<double> ends = numbers_of("--eigenvalues", given.eigenvalues);
  if (ends.empty()) return;
  if (ends.size() != 2) throw usage_error("--eigenvalues: give the smallest and the largest");
  if (plan.is_rational() && ends[0] != 0) {
    throw usage_error(fmt::format("--eigenvalues: {}: those of -D_eo D_oe of staggered quarks begin at 0: 0,HIGH",
                                  given.eigenvalues));
  }
  plan.range = {ends[0], ends[1]};
}

void plan_steps(const HmcOptions& given, HmcPlan& plan) {
  const std::size_t terms = plan.terms();
  plan.steps = given.steps.empty() ? (terms > 0 ? std::vector{8, 4} : std::vector{10})
                                   : parse_counts("--steps", given.steps, "not a number of steps");
  const std::size_t fewest = terms > 0 ? 2 : 1, most = terms + 1;
  if (plan.steps.size() != fewest && plan.steps.size() != most) {
    throw usage_error(fmt::format(
        "--steps: {} numbers for {}: give {}{}", plan.steps.size(),
        terms > 0 ? fmt::format("{} terms of quarks and the gauge action", terms) : std::string("the gauge action"),
        fewest, fewest == most ? "" : fmt::format(" or {}", most)));
  }
}

void check_tuning(const HmcOptions& given) {
  if (!given.tune_steps) return;
  if (!(*given.tune_steps > 0 && *given.tune_steps < 1)) {
    throw usage_error(
        fmt::format("--tune-steps: {} is not an acceptance between 0 and 1, such as 0.8", *given.tune_steps));
  }
  if (given.run.resume)
    throw usage_error("--tune-steps: has no meaning with --resume: give a configuration to --start");
}

void plan_gauge_action(const HmcOptions& given, HmcPlan& plan) {
  if (given.gauge_action != one_loop_action_word) {
    for (const auto& [option, number] :
         {std::pair("--gauge-u0", given.gauge_u0), std::pair("--gauge-flavors", given.gauge_flavors)}) {
      if (number) throw usage_error(fmt::format("{}: is for --gauge-action {}", option, one_loop_action_word));
    }
    plan.gauge.planar = value_of(gauge_actions, given.gauge_action);
    return;
  }
  if (!given.gauge_u0) {
    throw usage_error(fmt::format("--gauge-action: {} needs --gauge-u0, its tadpole factor", one_loop_action_word));
  }
  double flavors = plan.heavy_doublet ? 2.0 : 0.0;
  for (const QuarkPlan& quark : plan.quarks) flavors += quark.flavors;
  plan.gauge_flavors = given.gauge_flavors.value_or(flavors);
  require_range("--gauge-u0", *given.gauge_u0);
  require_range("--gauge-flavors", plan.gauge_flavors);
  plan.gauge = one_loop_symanzik_weights(*given.gauge_u0, plan.gauge_flavors);
}

void plan_integrators(const HmcOptions& given, HmcPlan& plan) {
  for (const std::string& word : split(given.integrator)) {
    const auto* const scheme = std::ranges::find(integrators, word, &IntegratorScheme::word);
    if (scheme == std::end(integrators)) {
      throw usage_error(fmt::format("--integrator: '{}' is none of {}", word, fmt::join(words_of(integrators), ", ")));
    }
    plan.integrators.push_back(scheme->value);
  }
  if (plan.integrators.size() == 1) plan.integrators.resize(plan.steps.size(), plan.integrators[0]);
  if (plan.integrators.size() == plan.steps.size()) return;
  throw usage_error(fmt::format("--integrator: {} names for {} time scales, those of --steps: give 1{}",
                                plan.integrators.size(), plan.steps.size(),
                                plan.steps.size() == 1 ? "" : fmt::format(" or {}", plan.steps.size())));
}

/// "omelyan", or the name for each time scale, "badab,omelyan".
std::string integrators_of(const HmcPlan& plan) {
  std::vector<std::string_view> words;
  for (const Integrator integrator : plan.integrators) words.push_back(scheme_of(integrator).word);
  if (std::ranges::count(words, words[0]) == std::ssize(words)) words.resize(1);
  return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace

HmcPlan plan_of(const HmcOptions& given) {
  HmcPlan plan{.quark_family = &hmc_actions().family_of(given.quark)};
  const SolvingMethod& method = entry_of(value_of(krylov_methods, given.method));
  require_part(method.is_built(), std::string(method.part), "--solver", given.method);
  for (const auto& [option, number] :
       {std::pair("--mu-bar", given.mu_bar.value_or(0.0)), std::pair("--epsilon-bar", given.epsilon_bar.value_or(0.0)),
        std::pair("--heavier-mass", given.heavier_mass.value_or(0.0))}) {
    require_range(option, number, of_trajectories);
  }
  plan_quarks(given, plan);
  plan_heavy_doublet(given, plan);
  refuse_options_of_others(given, plan);
  plan_ratios(given, plan);
  plan_smearing(given, plan);
  plan_range(given, plan);
  for (const auto& [option, tolerance] : {std::pair("--tolerance", given.solver.tolerance),
                                          std::pair("--force-tolerance", given.solver.force_tolerance)}) {
    if (tolerance >= 1) throw usage_error(fmt::format("{}: {} does not lie between 0 and 1", option, tolerance));
  }
  plan_gauge_action(given, plan);
  plan_steps(given, plan);
  plan_integrators(given, plan);
  check_tuning(given);
  return plan;
}

Json to_json(const HmcOptions& options, const HmcPlan& plan) {
  Json json{{"beta", *options.beta}, {"gauge-action", options.gauge_action}};
  if (options.gauge_u0) json.update({{"gauge-u0", *options.gauge_u0}, {"gauge-flavors", plan.gauge_flavors}});
  if (!plan.quarks.empty()) {
    Json masses = Json::array(), flavors = Json::array(), epsilons = Json::array();
    for (const QuarkPlan& quark : plan.quarks) {
      masses.push_back(quark.physics.mass);
      flavors.push_back(quark.flavors);
      epsilons.push_back(quark.physics.naik_epsilon);
    }
    const FermionParameters& physics = plan.quarks[0].physics;
    json.update({{"mass", masses},
                 {"action", options.quark.action},
                 {"flavors", flavors},
                 {"naik-epsilon", epsilons},
                 {"u0", std::isnan(physics.u0) ? 1.0 : physics.u0},
                 {"mu", physics.mu},
                 {"mu-bar", options.mu_bar.value_or(0.0)},
                 {"epsilon-bar", options.epsilon_bar.value_or(0.0)},
                 {"csw", physics.csw},
                 {"boundary", describe(physics.boundary)},
                 {"heavier-mass", options.heavier_mass.value_or(0.0)},
                 {"hasenbusch", plan.mu},
                 {"eigenvalues", {plan.range.lower, plan.range.upper}},
                 {"solver", options.method},
                 {"tolerance", options.solver.tolerance},
                 {"force-tolerance", options.solver.force_tolerance}});
    if (options.forecast > 0) json["forecast"] = options.forecast;
    if (plan.stout) {
      json["stout"] = plan.stout->rho;
      json["stout"].push_back(plan.stout->levels);
    }
    for (const char* name : {"m5", "slices", "b", "c"}) {
      const FermionParameter& row = family_parameter(name);
      if (!plan.family().reads(name)) continue;
      const double value = row.get(physics);
      json[std::string(row.option.substr(2))] = row.integer ? Json(static_cast<int>(value)) : Json(value);
    }
    if (plan.family().has_pauli_villars) json["one-flavor"] = options.one_flavor;
  }
  json.update({{"length", options.length},
               {"integrator", integrators_of(plan)},
               {"steps", plan.steps},
               {"accept-first", options.accept_first}});
  return json;
}

std::pair<std::string, Json> option_behind(const HmcOptions& given, const std::string& name, const Json& options) {
  const bool wilson = options.value("action", "") == "wilson";
  const Json value = options.value(name, Json());
  const bool by_kappa = given.run.named.contains("--kappa") || (wilson && !given.run.named.contains("--mass"));
  if (name != "mass" || !by_kappa) return {name, value};
  if (!wilson) return {"kappa", Json()};
  Json kappas = Json::array();
  for (const Json& mass : value) kappas.push_back(kappa_from_mass(mass.get<double>()));
  return {"kappa", kappas};
}

}  // namespace kaon::apps
