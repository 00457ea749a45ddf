// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagator_options.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_input.hpp"
#include "apps/quark/solver_options.hpp"
#include "apps/quark/staggered_options.hpp"
#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

namespace kaon::apps {
namespace {

/// The numbers that the iterations of a solve can hold. Other solvers go on in double where these fail.
NumberRange range_of(const PropagatorPlan& plan) {
  if (plan.given.solver == "multigrid") return range_in_single("--solver multigrid");
  return plan.single() ? range_in_single("--precision " + plan.given.precision) : NumberRange{};
}

void check_finite(const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const auto check = [](const char* option, double value) {
    if (!std::isfinite(value)) throw usage_error(fmt::format("{}: {} is not a finite number", option, value));
  };
  check("--weak", given.weak.value_or(0));
  check("--kappa", given.kappa.value_or(0));
  for (const auto& [option, number] :
       {std::pair("--mu", given.mu), std::pair("--epsilon", given.epsilon), std::pair("--csw", given.csw),
        std::pair("--csw-s", given.csw_spatial), std::pair("--csw-t", given.csw_temporal)}) {
    require_range(option, number.value_or(0), range_of(plan));
  }
  check("--xi0", given.anisotropy.xi0);
  check("--nu", given.anisotropy.nu);
  check("--smearing-width", given.smearing_width);
}

void check_gauge(const PropagatorOptions& given, PropagatorPlan& plan) {
  if (given.fat.empty() != given.long_links.empty()) {
    throw usage_error(given.fat.empty() ? "--fat: needed with --long" : "--long: needed with --fat");
  }
  const bool smeared = !given.fat.empty();
  const int fields = (given.gauge.empty() ? 0 : 1) + (given.unit ? 1 : 0) + (given.weak ? 1 : 0) + (smeared ? 1 : 0);
  if (fields == 0) throw usage_error("--gauge: no gauge field is given (or, for tests, --unit or --weak)");
  if (fields > 1) {
    throw usage_error(smeared ? "--gauge and --fat: give one of them" : "--gauge, --unit and --weak: give one of them");
  }
  const bool reads_file = smeared || !given.gauge.empty();
  check(given.input, reads_file);
  if (!reads_file && given.input.extents.empty()) throw usage_error("--size: needed with --unit and --weak");
}

/// The families that a word of --action stands for: with a clover term and without may be two.
std::vector<const FermionFamily*> families_of(const std::string& action) {
  std::vector<const FermionFamily*> families;
  for (const FermionFamily& family : fermion_families()) {
    if (family.program == action) families.push_back(&family);
  }
  return families;
}

/// Whether an action has a parameter.
bool reads(const std::string& action, std::string_view parameter) {
  return std::ranges::any_of(families_of(action), [&](const auto* family) { return family->reads(parameter); });
}

std::string text_of(std::string_view parameter) {
  return std::string(std::ranges::find(family_parameters, parameter, &FermionParameter::name)->text);
}

/// Throws `Failure` for an option of a parameter that the action does not have.
void require_read(const PropagatorOptions& given, const std::string& action) {
  const auto require = [&](std::string_view option, std::string_view parameter) {
    if (!given.named.contains(std::string(option)) || reads(action, parameter)) return;
    std::vector<std::string> readers = action_words();
    std::erase_if(readers, [&](const std::string& other) { return !reads(other, parameter); });
    throw usage_error(
        fmt::format("{}: has no meaning with --action {}, only with {}", option, action, fmt::join(readers, ", ")));
  };
  for (const FermionParameter& parameter : family_parameters) require(parameter.option, parameter.name);
  require("--csw-s", "csw");
}

/// Which operator; and nothing else may be given than what it has.
void check_action(const PropagatorOptions& given, PropagatorPlan& plan) {
  const bool some_csw = given.csw || given.csw_spatial || given.csw_temporal;
  plan.action = !given.action.empty() ? given.action : !given.fat.empty() ? "improved" : some_csw ? "clover" : "wilson";
  plan.clover = some_csw;
  for (const FermionFamily* family : families_of(plan.action)) {
    if (!plan.family || family->reads("csw") == some_csw) plan.family = family->action;
  }
  using detail::Parts;
  require_part(Parts::twisted_mass || !plan.twisted(), "twisted_mass", "--action", plan.action);
  require_part(Parts::staggered || !plan.staggered(), "staggered", "--action", plan.action);
  require_part(Parts::domain_wall || !plan.domain_wall(), "domain_wall", "--action", plan.action);
  require_read(given, plan.action);
  if (plan.twisted() && !given.mu) throw usage_error("--mu: needed with --action " + plan.action);
  if (plan.doublet() && !given.epsilon) throw usage_error("--epsilon: needed with --action " + plan.action);
  if (plan.action == "clover" && !some_csw) throw usage_error("--action: clover needs --csw");
  const OperatorKind kind = plan.family ? family_of(*plan.family).kind : OperatorKind::staggered;
  const std::string refusal = detail::refusal_of(value_of(krylov_methods, given.solver), kind);
  if (!refusal.empty()) throw usage_error("--solver: " + refusal);
  require_staggered_options_to_fit(plan);
}

void check_csw(const PropagatorOptions& given, PropagatorPlan& plan) {
  if (!plan.clover) return;
  if (given.csw && (given.csw_spatial || given.csw_temporal)) {
    throw usage_error("--csw: give either it or both of --csw-s and --csw-t");
  }
  if (!given.csw && !(given.csw_spatial && given.csw_temporal)) {
    throw usage_error(given.csw_spatial ? "--csw-t: needed with --csw-s" : "--csw-s: needed with --csw-t");
  }
  plan.physics.csw = given.csw ? *given.csw : *given.csw_spatial;
  plan.physics.csw_temporal = given.csw_temporal;
}

/// The mass of an action that has one at a time.
double one_mass(const PropagatorOptions& given, const PropagatorPlan& plan) {
  const std::vector<double> masses = parse_numbers("--mass", given.mass);
  if (masses.size() == 1) return masses.front();
  throw usage_error(fmt::format(
      "--mass: {} masses are given, and {} takes one: only staggered actions take several, which commas separate",
      masses.size(), plan.action));
}

void check_mass(const PropagatorOptions& given, PropagatorPlan& plan) {
  if (plan.staggered()) return check_staggered_masses(plan);
  if (!given.mass.empty() && given.kappa) throw usage_error("--mass and --kappa are both given: give one of them");
  if (given.mass.empty() && !given.kappa) {
    throw usage_error(plan.domain_wall() ? "--mass: needed with --action domain-wall"
                                         : "--mass or --kappa must be given");
  }
  if (!(given.anisotropy.xi0 > 0)) throw usage_error("--xi0: must be positive");
  if (!(given.anisotropy.nu > 0)) throw usage_error("--nu: must be positive");
  const char* option = given.kappa ? "--kappa" : "--mass";
  double& mass = plan.physics.mass;
  if (!given.kappa) mass = one_mass(given, plan);
  try {
    if (given.kappa) mass = mass_from_kappa(*given.kappa);
    plan.kappa = given.kappa ? *given.kappa : kappa_from_mass(mass);
  } catch (const Error& error) {
    throw usage_error(fmt::format("{}: {}", option, error.what()));
  }
  if (!std::isfinite(mass)) throw usage_error(fmt::format("--kappa: the mass of {} overflows", plan.kappa));
  require_range("--xi0", given.anisotropy.spatial_weight(), range_of(plan),
                fmt::format("nu/xi0 = {}/{} = ", given.anisotropy.nu, given.anisotropy.xi0));
  plan.masses = {mass};
  plan.physics.mu = given.mu.value_or(0.0);
  plan.physics.anisotropy = given.anisotropy;
}

/// The even-odd forms divide by the diagonal, which in the absence of the clover term is a number, or with a twisted
/// mass d + i mu g5.
void check_diagonal(const PropagatorOptions& given, PropagatorPlan& plan) {
  const double mu = plan.physics.mu;
  const double epsilon = given.epsilon.value_or(0.0);
  if (plan.clover || plan.staggered()) return;
  if (plan.domain_wall()) {
    plan.walls = check_domain_wall(given.domain_wall, given.anisotropy);
    return;
  }
  const double diagonal = plan.physics.mass + 1.0 + 3.0 * given.anisotropy.spatial_weight();
  if (plan.doublet() && !(diagonal * diagonal + mu * mu > epsilon * epsilon)) {
    throw usage_error(
        fmt::format("--epsilon: {} is too large: (m + 1 + 3 nu/xi0)^2 + mu^2 - epsilon^2 must be positive", epsilon));
  }
  if (std::isfinite(diagonal) && (diagonal != 0.0 || mu != 0.0)) return;
  throw usage_error(fmt::format("{}: the diagonal m + 1 + 3 nu/xi0 of the operator is {}",
                                given.kappa ? "--kappa" : "--mass", diagonal));
}

void check_source(const PropagatorOptions& given, PropagatorPlan& plan) {
  for (const char* option : {"--smearing-width", "--smearing-steps"}) {
    if (given.source == "gaussian" || !given.named.contains(option)) continue;
    throw usage_error(fmt::format("{}: has no meaning with --source {}, only with gaussian", option, given.source));
  }
  const bool random = given.source == "wall-z2" || given.weak || given.solver == "multigrid" ||
                      (!plan.has_slices() && plan.given.solver == "auto");
  if (!random && given.named.contains("--seed")) {
    throw usage_error(fmt::format("--seed: there are no random numbers with --source {} and --solver {}", given.source,
                                  plan.given.solver));
  }
  plan.site = parse_coordinates("--source-site", given.source_site);
  if (given.source == "gaussian" && !(given.smearing_width > 0)) {
    throw usage_error(fmt::format("--smearing-width: {} is not positive", given.smearing_width));
  }
}

void check_output(const PropagatorOptions& given) {
  if (given.output.empty() && given.named.contains("--output-format")) {
    throw usage_error("--output-format: has no meaning without --output");
  }
}

}  // namespace

std::vector<std::string> action_words() {
  std::vector<std::string> words;
  for (const FermionFamily& family : fermion_families()) {
    if (words.empty() || words.back() != family.program) words.emplace_back(family.program);
  }
  return words;
}

void add_operator_options(const Command& command, PropagatorOptions& options) {
  const char* group = "Gauge field";
  command.add_option("--gauge", options.gauge, "Gauge file; its format is recognised from its content")
      .type_name("FILE")
      .group(group);
  command.add_option("--fat", options.fat, "Instead: fat links of improved staggered fermions, and")
      .type_name("FILE")
      .group(group);
  command.add_option("--long", options.long_links, "their long links (kaon smear-links, MILC)")
      .type_name("FILE")
      .group(group);
  command.add_flag("--unit", options.unit, "For tests: the unit field").group(group);
  command.add_option("--weak", options.weak, "For tests: the unit field plus noise of this size").group(group);
  add_gauge_input_options(command, options.input, group,
                          "Extents for --unit and --weak, or of files that do not state them");

  group = "Action";
  const auto is_compiled = [](const std::string& action) {
    if (!detail::Parts::twisted_mass && reads(action, "mu")) return false;
    if (!detail::Parts::domain_wall && reads(action, "slices")) return false;
    return detail::Parts::staggered || reads(action, "xi0");  // which staggered actions do not have
  };
  std::vector<std::string> actions = action_words();
  std::erase_if(actions, std::not_fn(is_compiled));
  command.add_option("--action", options.action, "Default: improved with --fat, clover with csw, else wilson")
      .check(one_of(action_words()))
      .type_name(fmt::format("{}", fmt::join(actions, "|")))
      .group(group);
  command.add_option("--mass", options.mass, text_of("mass") + "; give it or --kappa. Staggered actions take several")
      .type_name("M[,M...]")
      .group(group);
  command.add_option("--kappa", options.kappa, text_of("kappa")).group(group);
  command.add_option("--mu", options.mu, text_of("mu") + ", of twisted-mass and twisted-doublet").group(group);
  command.add_option("--epsilon", options.epsilon, text_of("epsilon")).group(group);
  command.add_option("--csw", options.csw, text_of("csw")).group(group);
  command.add_option("--csw-s", options.csw_spatial, "The same in spatial planes").group(group);
  command.add_option("--csw-t", options.csw_temporal, text_of("csw_temporal")).group(group);
  add_staggered_options(command, options, group);
  add_domain_wall_options(command, options.domain_wall, group);
  command.add_option("--xi0", options.anisotropy.xi0, text_of("xi0")).capture_default_str().group(group);
  command.add_option("--nu", options.anisotropy.nu, text_of("nu")).capture_default_str().group(group);
  command.add_option("--boundary", options.boundary, "Of each direction: periodic, antiperiodic or an angle")
      .type_name("X,Y,Z,T")
      .capture_default_str()
      .group(group);
}

void add_propagator_options(const Command& command, PropagatorOptions& options) {
  add_operator_options(command, options);
  command.add_flag("--pairs", options.pairs, "Pions of each two different masses, too").group("Action");

  const char* group = "Source";
  add_choice(command, "--source", options.source, {"point", "gaussian", "wall-z2", "wall", "corner-wall", "even-wall"},
             "Kind of source")
      .group(group);
  command.add_option("--source-site", options.source_site, "Where it is; of a wall the time alone counts")
      .type_name("X,Y,Z,T")
      .capture_default_str()
      .group(group);
  command.add_option("--smearing-width", options.smearing_width, "Width of gaussian sources")
      .capture_default_str()
      .group(group);
  command.add_option("--smearing-steps", options.smearing_steps, "Smearing steps of gaussian sources")
      .check(positive())
      .capture_default_str()
      .group(group);
  command.add_option("--seed", options.seed, "Seed of random numbers (wall-z2, --weak, multigrid)")
      .capture_default_str()
      .group(group);

  add_solver_options(command, options, "Solver");

  group = "Output";
  command.add_option("--output", options.output, "Write the propagator to this file").type_name("FILE").group(group);
  add_choice(command, "--output-format", options.output_format, {"scidac", "usqcd", "milc"},
             "Of that file; usqcd (with sources) and milc: staggered actions")
      .group(group);
  command.add_option("--correlator", options.correlator, "Write correlator and report to this JSON file")
      .type_name("FILE")
      .group(group);
}

std::string with_suffix(const std::string& file, const std::string& suffix) {
  constexpr std::array endings{".json", ".lime", ".scidac", ".ildg", ".usqcd", ".milc", ".prop", ".dat", ".bin"};
  for (const std::string ending : endings) {  // what else follows a point may be part of a number
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size()) + suffix + ending;
  }
  return file + suffix;
}

PropagatorPlan at_mass(const PropagatorPlan& plan, std::size_t n) {
  PropagatorPlan one = plan;
  if (plan.masses.size() == 1) return one;
  one.physics.mass = plan.masses[n];
  one.masses = {plan.masses[n]};
  one.mass_words = {plan.mass_words[n]};
  if (!plan.naik_epsilons.empty()) one.naik_epsilons = {plan.naik_epsilons[n]};
  for (std::string* file : {&one.given.output, &one.given.correlator}) {
    if (!file->empty()) *file = with_suffix(*file, "_m" + plan.mass_words[n]);
  }
  return one;
}

PropagatorPlan check_operator(const PropagatorOptions& options) {
  PropagatorPlan plan{.given = options};
  check_finite(plan);
  check_gauge(options, plan);
  check_action(options, plan);
  check_mass(options, plan);
  for (const double mass : plan.masses) {
    require_range(options.kappa ? "--kappa" : "--mass", mass, range_of(plan), "the mass ");
  }
  for (const double epsilon : plan.naik_epsilons) require_range("--naik-epsilon", epsilon, range_of(plan));
  check_csw(options, plan);
  check_diagonal(options, plan);
  plan.physics.boundary = parse_boundary("--boundary", options.boundary);
  plan.given.input.layout.lanes = options.lanes == "native" ? Lanes::native : Lanes::single;
  if (plan.improved()) plan.given.input.layout.reach = 3;
  return plan;
}

PropagatorPlan check(const PropagatorOptions& options) {
  PropagatorPlan plan = check_operator(options);
  for (const double mass : plan.masses) {
    if (plan.staggered()) require_invertible(mass);
  }
  check_source(options, plan);
  check_solver(plan);
  check_output(options);
  return plan;
}

}  // namespace kaon::apps
