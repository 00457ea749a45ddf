// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_plan.hpp"

#include "apps/cli/option_values.hpp"
#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/wilson.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon::apps {
namespace {

/// Shifted systems and multigrid iterate in single precision.
const NumberRange of_trajectories = range_in_single("hybrid Monte Carlo");

FermionAction fermion_action(const HmcOptions& given) {
  if (value_of(quark_actions, given.action).has_value()) return FermionAction::staggered;
  if (given.action == "domain-wall") return FermionAction::domain_wall;
  if (given.mu) return given.csw != 0 ? FermionAction::twisted_clover : FermionAction::twisted_mass;
  return given.csw != 0 ? FermionAction::wilson_clover : FermionAction::wilson;
}

/// None where the option is not given.
std::vector<double> numbers_of(const std::string& option, const std::string& text) {
  return text.empty() ? std::vector<double>{} : parse_numbers(option, text);
}

/// As many numbers as there are masses, one for all, or none.
double number_of_mass(const std::string& option, const std::vector<double>& numbers, std::size_t k, std::size_t masses,
                      double otherwise) {
  if (numbers.size() > 1 && numbers.size() != masses) {
    throw usage_error(fmt::format("{}: {} numbers for {} masses", option, numbers.size(), masses));
  }
  return numbers.empty() ? otherwise : numbers[numbers.size() == 1 ? 0 : k];
}

void plan_quarks(const HmcOptions& given, HmcPlan& plan) {
  const bool staggered = value_of(quark_actions, given.action).has_value(), walls = given.action == "domain-wall";
  if ((staggered || walls) && !given.kappa.empty()) {
    throw usage_error(fmt::format("--kappa: {} quarks have a --mass", walls ? "domain wall" : "staggered"));
  }
  DomainWallParameters domain_wall;
  if (walls) domain_wall = check_domain_wall(given.domain_wall, {});
  for (const auto& [option, numbers] :
       {std::pair("--b", &domain_wall.b_of_slices), std::pair("--c", &domain_wall.c_of_slices)}) {
    if (!numbers->empty())
      throw usage_error(fmt::format("{}: hybrid Monte Carlo takes one number for all slices", option));
  }
  std::vector<double> masses = numbers_of("--mass", given.mass);
  const char* option = given.kappa.empty() ? "--mass" : "--kappa";
  try {
    for (const double kappa : numbers_of("--kappa", given.kappa)) masses.push_back(mass_from_kappa(kappa));
    for (const double mass : masses) {
      require_range(option, mass, of_trajectories, "the mass ");
      if (!staggered && !walls) static_cast<void>(kappa_from_mass(mass));  // -4 and below have none
      if (walls && !(mass >= 0 && mass < pauli_villars_mass)) {
        throw usage_error(
            fmt::format("--mass: domain wall quarks of mass {}: give one from 0 to below 1, that of the "
                        "Pauli-Villars fields which divide their determinant",
                        mass));
      }
    }
  } catch (const Error& error) {
    throw usage_error(fmt::format("{}: {}", option, error.what()));
  }
  const std::vector<double> flavors = numbers_of("--flavors", given.flavors),
                            epsilons = numbers_of("--naik-epsilon", given.naik_epsilon);
  const BoundaryAngles boundary = parse_boundary("--boundary", given.boundary);
  if (staggered && boundary != antiperiodic_in_time && boundary != periodic) {
    throw usage_error("--boundary: staggered quarks are periodic in space, and periodic or antiperiodic in time");
  }
  for (std::size_t k = 0; k < masses.size(); ++k) {
    plan.quarks.push_back({.physics = {.action = fermion_action(given),
                                       .mass = masses[k],
                                       .mu = given.mu.value_or(0.0),
                                       .csw = given.csw,
                                       .boundary = boundary,
                                       .m5 = domain_wall.m5,
                                       .slices = domain_wall.slices,
                                       .b = domain_wall.b,
                                       .c = domain_wall.c},
                           .flavors = number_of_mass("--flavors", flavors, k, masses.size(), 2.0),
                           .naik_epsilon = number_of_mass("--naik-epsilon", epsilons, k, masses.size(), 0.0)});
  }
  for (const double epsilon : epsilons) require_range("--naik-epsilon", epsilon, of_trajectories);
  for (const double count : flavors) {
    if (count <= 0) throw usage_error(fmt::format("--flavors: {} is not a number above 0", count));
  }
  if ((staggered || walls) && masses.empty()) throw usage_error("--mass: needed with --action " + given.action);
  if (given.action == "asqtad" && !given.u0) throw usage_error("--u0: needed with --action asqtad");
  if (given.u0) {
    if (given.action != "asqtad") throw usage_error("--u0: has no meaning without --action asqtad");
    require_tadpole_factor(*given.u0);
  }
  if (!epsilons.empty() && given.action != "hisq")
    throw usage_error("--naik-epsilon: has no meaning without --action hisq");
}

/// With quarks of one mass that are twisted.
void plan_heavy_doublet(const HmcOptions& given, HmcPlan& plan) {
  if (!given.mu_bar && !given.epsilon_bar) return;
  if (!given.mu_bar) throw usage_error("--epsilon-bar: needs --mu-bar, the twisted mass of the heavy doublet");
  if (!given.epsilon_bar) throw usage_error("--mu-bar: needs --epsilon-bar, the splitting of the heavy doublet");
  if (!given.mu || plan.quarks.size() != 1) {
    throw usage_error("--mu-bar: the heavy doublet is beside a light one of --mu and one --kappa or --mass");
  }
  plan.heavy_doublet = plan.quarks[0].physics;
  plan.heavy_doublet->action = given.csw != 0 ? FermionAction::twisted_clover_doublet : FermionAction::twisted_doublet;
  plan.heavy_doublet->mu = *given.mu_bar;
  plan.heavy_doublet->epsilon = *given.epsilon_bar;
}

void refuse(bool wrong, const char* option, const char* why) {
  if (wrong) throw usage_error(fmt::format("{}: {}", option, why));
}

/// Options of quarks that the plan does not have.
void refuse_options_of_others(const HmcOptions& given, const HmcPlan& plan) {
  const char* no_quarks = "without --kappa or --mass there are no quarks";
  const char* no_wilson = "is for Wilson-like quarks";
  const char* no_walls = "is for Wilson and clover quarks";
  refuse(plan.quarks.empty() && given.mu.has_value(), "--mu", no_quarks);
  refuse(plan.quarks.empty() && given.csw != 0, "--csw", no_quarks);
  refuse(plan.quarks.empty() && !given.hasenbusch.empty(), "--hasenbusch", no_quarks);
  refuse(plan.quarks.empty() && !given.flavors.empty(), "--flavors", no_quarks);
  for (const char* option :
       {"--action", "--boundary", "--tolerance", "--force-tolerance", "--solver", "--eigenvalues"}) {
    refuse(plan.quarks.empty() && given.run.named.contains(option), option, no_quarks);
  }
  const auto has_flavors = [&](bool two) {
    return !plan.staggered() &&
           std::ranges::any_of(plan.quarks, [&](const QuarkPlan& quark) { return (quark.flavors == 2) == two; });
  };
  const bool solved = has_flavors(true) && !given.mu && !plan.domain_wall();  // the systems without mu
  refuse(!plan.quarks.empty() && !solved && given.run.named.contains("--solver"), "--solver",
         "is for two flavours of Wilson or clover quarks: others are solved by conjugate gradients");
  refuse(given.mu && has_flavors(false), "--mu", "is for doublets, two flavours of each mass");
  refuse(!plan.staggered() && !plan.quarks.empty() && !has_flavors(true) && !given.hasenbusch.empty(), "--hasenbusch",
         "splits the determinant of two flavours, and no quark has two");
  refuse(!plan.staggered() && !plan.quarks.empty() && !has_flavors(false) && !plan.heavy_doublet &&
             !given.eigenvalues.empty(),
         "--eigenvalues", "is for rational functions, and two flavours need none");
  refuse(plan.staggered() && given.mu.has_value(), "--mu", no_wilson);
  refuse(plan.staggered() && given.csw != 0, "--csw", no_wilson);
  refuse(plan.staggered() && !given.hasenbusch.empty(), "--hasenbusch", no_wilson);
  refuse(plan.domain_wall() && given.mu.has_value(), "--mu", no_walls);
  refuse(plan.domain_wall() && given.csw != 0, "--csw", no_walls);
  for (const char* option : {"--m5", "--ls", "--b", "--c"}) {
    refuse(!plan.domain_wall() && given.run.named.contains(option), option, "is for domain wall quarks");
  }
  const auto is_one = [](const QuarkPlan& quark) { return quark.flavors == 1; };
  refuse(!plan.domain_wall() && given.run.named.contains("--one-flavor"), "--one-flavor", "is for domain wall quarks");
  refuse(given.run.named.contains("--one-flavor") && std::ranges::none_of(plan.quarks, is_one), "--one-flavor",
         "no quark has one flavour: --flavors 1");
  if (given.heavier_mass) {
    refuse(!plan.staggered(), "--heavier-mass", "is for staggered quarks");
    const auto lighter = [&](const QuarkPlan& quark) { return quark.physics.mass < *given.heavier_mass; };
    refuse(std::ranges::none_of(plan.quarks, lighter), "--heavier-mass", "no quark is lighter");
  }
}

void plan_ratios(const HmcOptions& given, HmcPlan& plan) {
  plan.mu = numbers_of("--hasenbusch", given.hasenbusch);
  for (std::size_t k = 0; k < plan.mu.size(); ++k) {
    const bool falls = plan.mu[k] > 0 && (k == 0 || plan.mu[k] < plan.mu[k - 1]);
    if (!falls) throw usage_error(fmt::format("--hasenbusch: {}: give falling numbers above 0", given.hasenbusch));
    require_range("--hasenbusch", plan.mu[k], of_trajectories);
  }
  for (const QuarkPlan& quark : plan.quarks) {
    if (!plan.domain_wall() || plan.mu.empty() || quark.flavors != 2) continue;
    if (plan.mu.front() < pauli_villars_mass && plan.mu.back() > quark.physics.mass) continue;
    throw usage_error(
        fmt::format("--hasenbusch: {}: give falling masses below 1, that of Pauli-Villars fields, and "
                    "above --mass {}",
                    given.hasenbusch, quark.physics.mass));
  }
  if (given.mu && !plan.mu.empty() && plan.mu.back() <= std::abs(*given.mu)) {
    throw usage_error(
        fmt::format("--hasenbusch: {}: give falling twisted masses above --mu {}", given.hasenbusch, *given.mu));
  }
}

void plan_range(const HmcOptions& given, HmcPlan& plan) {
  const std::vector<double> ends = numbers_of("--eigenvalues", given.eigenvalues);
  if (ends.empty()) return;
  if (ends.size() != 2) throw usage_error("--eigenvalues: give the smallest and the largest");
  if (plan.staggered() && ends[0] != 0) {
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

}  // namespace

HmcPlan plan_of(const HmcOptions& given) {
  HmcPlan plan;
  if (!given.kappa.empty() && !given.mass.empty())
    throw usage_error("--mass and --kappa are both given: give one of them");
  require_part(detail::Parts::multigrid || given.solver != "multigrid", "multigrid", "--solver", given.solver);
  for (const auto& [option, number] :
       {std::pair("--csw", given.csw), std::pair("--mu", given.mu.value_or(0.0)),
        std::pair("--mu-bar", given.mu_bar.value_or(0.0)), std::pair("--epsilon-bar", given.epsilon_bar.value_or(0.0)),
        std::pair("--heavier-mass", given.heavier_mass.value_or(0.0))}) {
    require_range(option, number, of_trajectories);
  }
  plan_quarks(given, plan);
  require_part(detail::Parts::domain_wall || !plan.domain_wall(), "domain_wall", "--action", given.action);
  plan_heavy_doublet(given, plan);
  refuse_options_of_others(given, plan);
  plan_ratios(given, plan);
  plan_range(given, plan);
  for (const auto& [option, tolerance] :
       {std::pair("--tolerance", given.tolerance), std::pair("--force-tolerance", given.force_tolerance)}) {
    if (tolerance >= 1) throw usage_error(fmt::format("{}: {} does not lie between 0 and 1", option, tolerance));
  }
  plan_steps(given, plan);
  return plan;
}

Json to_json(const HmcOptions& options, const HmcPlan& plan) {
  Json json{{"beta", options.beta}, {"gauge-action", options.gauge_action}};
  if (!plan.quarks.empty()) {
    Json masses = Json::array(), flavors = Json::array(), epsilons = Json::array();
    for (const QuarkPlan& quark : plan.quarks) {
      masses.push_back(quark.physics.mass);
      flavors.push_back(quark.flavors);
      epsilons.push_back(quark.naik_epsilon);
    }
    json.update({{"mass", masses},
                 {"action", options.action},
                 {"flavors", flavors},
                 {"naik-epsilon", epsilons},
                 {"u0", options.u0.value_or(1.0)},
                 {"mu", options.mu.value_or(0.0)},
                 {"mu-bar", options.mu_bar.value_or(0.0)},
                 {"epsilon-bar", options.epsilon_bar.value_or(0.0)},
                 {"csw", options.csw},
                 {"boundary", describe(plan.quarks[0].physics.boundary)},
                 {"heavier-mass", options.heavier_mass.value_or(0.0)},
                 {"hasenbusch", plan.mu},
                 {"eigenvalues", {plan.range.lower, plan.range.upper}},
                 {"solver", options.solver},
                 {"tolerance", options.tolerance},
                 {"force-tolerance", options.force_tolerance}});
    if (plan.domain_wall()) {
      const FermionParameters& walls = plan.quarks[0].physics;
      json.update(
          {{"m5", walls.m5}, {"ls", walls.slices}, {"b", walls.b}, {"c", walls.c}, {"one-flavor", options.one_flavor}});
    }
  }
  json.update({{"length", options.length},
               {"integrator", options.integrator},
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
