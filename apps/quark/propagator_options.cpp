// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagator_options.hpp"

#include "apps/cli/command.hpp"

#include <kaon/core/error.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace kaon::apps {
namespace {

const QuarkActions& all_actions() {
  static const QuarkActions actions([](const FermionFamily&) { return true; });
  return actions;
}

/// The numbers that the iterations of a solve can hold. Other solvers continue in double where these fail.
NumberRange range_of(const PropagatorPlan& plan) {
  if (plan.given.solver == "multigrid") return range_in_single("--solver multigrid");
  return plan.single() ? range_in_single("--precision " + plan.given.precision) : NumberRange{};
}

void check_gauge(const PropagatorOptions& given) {
  if (given.fat.empty() != given.long_links.empty()) {
    throw usage_error(given.fat.empty() ? "--fat: needed with --long" : "--long: needed with --fat");
  }
  const bool smeared = !given.fat.empty();
  const int fields = (given.gauge.empty() ? 0 : 1) + (given.unit ? 1 : 0) + (given.weak ? 1 : 0) + (smeared ? 1 : 0);
  if (fields == 0) throw usage_error("--gauge: no gauge field is given (or, for tests, --unit or --weak)");
  if (fields > 1) {
    throw usage_error(smeared ? "--gauge and --fat: give one of them" : "--gauge, --unit and --weak: give one of them");
  }
  require_finite("--weak", given.weak.value_or(0.0));
  const bool reads_file = smeared || !given.gauge.empty();
  check(given.input, reads_file);
  if (!reads_file && given.input.extents.empty()) throw usage_error("--size: needed with --unit and --weak");
}

/// A word of an option that is for some kinds of operators.
struct WordOfKinds {
  const char* option;
  std::string PropagatorOptions::*value;
  std::string_view word;
  OperatorKinds kinds;
};
constexpr OperatorKinds staggered{.definite = false, .indefinite = false}, others{.staggered = false};
constexpr WordOfKinds words_of_kinds[]{{"--source", &PropagatorOptions::source, "gaussian", others},
                                       {"--source", &PropagatorOptions::source, "corner-wall", staggered},
                                       {"--source", &PropagatorOptions::source, "even-wall", staggered},
                                       {"--output-format", &PropagatorOptions::output_format, "grid", others},
                                       {"--output-format", &PropagatorOptions::output_format, "milc", staggered}};

/// Throws `Failure` for options of source, solver and output that the kind of the operator does not have.
void check_options_of_kind(const PropagatorOptions& given) {
  const auto require = [&](std::string_view option, const OperatorKinds& kinds) {
    all_actions().require_reader(given.quark.action, option,
                                 [&](const FermionFamily& family) { return kinds[family.kind]; });
  };
  for (const WordOfKinds& row : words_of_kinds) {
    if (given.*row.value == row.word) require(fmt::format("{}: {}", row.option, row.word), row.kinds);
  }
  if (given.milc_projectors) require("--milc-projectors", others);
  for (const SolverOption& row : solver_options) {
    if (given.quark.has(row.option)) {
      require(row.option, {row.reads(OperatorKind::definite), row.reads(OperatorKind::indefinite),
                           row.reads(OperatorKind::staggered)});
    }
  }
}

/// Returns the family of the action. Throws `Failure` for options that this family does not have.
const FermionFamily& check_action(PropagatorOptions& given) {
  QuarkOptions& quark = given.quark;
  if (quark.action.empty()) quark.action = !given.fat.empty() ? "improved" : quark.has_csw() ? "clover" : "wilson";
  const FermionFamily& family = all_actions().family_of(quark);
  const std::string refusal = detail::refusal_of(value_of(krylov_methods, given.solver), family.kind);
  if (!refusal.empty()) throw usage_error("--solver: " + refusal);
  const bool reads_links = family.links == FamilyLinks::given;
  if (reads_links && given.fat.empty()) {
    throw usage_error(fmt::format("--fat: needed with --action {}, and --long: its links", quark.action));
  }
  if (!reads_links && !given.fat.empty()) {
    refuse_without_meaning("--fat", fmt::format("with --action {}, which makes its links from --gauge: give "
                                                "--action improved, or none",
                                                quark.action));
  }
  if (!reads_links && !given.phases.empty()) refuse_without_meaning("--phases", "without --fat and --long");
  const std::size_t masses = split(quark.mass + quark.kappa).size();
  if (given.pairs && masses < 2) throw usage_error("--pairs: needs several values of --mass");
  check_options_of_kind(given);
  if (masses > 1 && !family.several_masses) {
    throw usage_error(fmt::format(
        "{}: {} masses are given, and {} takes one: only staggered actions take several, which commas separate",
        mass_option(quark), masses, quark.action));
  }
  return family;
}

/// The quarks of all masses.
void plan_quarks(PropagatorPlan& plan, const FermionFamily& family) {
  const QuarkOptions& given = plan.given.quark;
  const NumberRange range = range_of(plan);
  const std::vector<double> masses = required_masses(given, family, range);
  for (std::size_t n = 1; n < masses.size(); ++n) {
    if (std::count(masses.begin(), masses.begin() + static_cast<std::ptrdiff_t>(n), masses[n]) == 0) continue;
    throw usage_error(fmt::format("--mass: {} is given twice", masses[n]));
  }
  plan.mass_words = split(given.mass);
  const std::vector<double> epsilons = numbers_of_masses("--naik-epsilon", given.naik_epsilon, masses.size(), 0.0);
  FermionParameters quark = fermion_parameters(given, family, range);
  for (std::size_t n = 0; n < masses.size(); ++n) {
    quark.mass = masses[n];
    quark.naik_epsilon = epsilons[n];
    if (!given.kappa.empty()) quark.kappa = parse_numbers("--kappa", given.kappa)[n];
    require_range("--naik-epsilon", epsilons[n], range);
    require_possible(given, quark);
    plan.quarks.push_back(quark);
  }
}

void check_source(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  if (given.source != "gaussian") {
    refuse_named(given.quark.named, {"--smearing-width", "--smearing-steps"}, "with --source " + given.source,
                 "gaussian");
  }
  const bool random = given.source == "wall-z2" || given.weak || given.solver == "multigrid" || given.solver == "auto";
  if (!random && given.quark.has("--seed")) {
    throw usage_error(fmt::format("--seed: there are no random numbers with --source {} and --solver {}", given.source,
                                  given.solver));
  }
  plan.site = parse_coordinates("--source-site", given.source_site);
  require_finite("--smearing-width", given.smearing_width);
  if (given.source == "gaussian") {
    with_value_of("--smearing-width", [&] { require_stable_smearing(given.smearing_width, given.smearing_steps); });
  }
}

}  // namespace

void add_operator_options(const Command& command, PropagatorOptions& options) {
  Command group = command.in_group("Gauge field");
  group.add_option("--gauge", options.gauge, "Gauge file; its format is recognised from its content")
      ->type_name("FILE");
  group.add_option("--fat", options.fat, "Instead: fat links of improved staggered fermions, and")->type_name("FILE");
  group.add_option("--long", options.long_links, "their long links (kaon smear-links, MILC)")->type_name("FILE");
  group.add_flag("--unit", options.unit, "For tests: the unit field");
  group.add_option("--weak", options.weak, "For tests: the unit field plus noise of this size");
  add_gauge_input_options(group, options.input, "Extents for --unit and --weak, or of files that do not state them");

  group = command.in_group("Action");
  std::vector<std::string> built = all_actions().words();
  std::erase_if(built, [](const std::string& word) { return !all_actions()[word].families.front()->is_built(); });
  group
      .add_option("--action", options.quark.action, "Default: improved with --fat, clover with csw, else wilson",
                  one_of(all_actions().words()))
      ->type_name(fmt::format("{}", fmt::join(built, "|")));
  add_quark_options(group, options.quark,
                    {{"mass", "Bare mass m; give it or --kappa. Staggered actions take several", "M[,M...]"},
                     {"kappa"},
                     {"mu", "Twisted mass, of twisted-mass and twisted-doublet"},
                     {"epsilon"},
                     {"csw"},
                     {"csw", "The same in spatial planes", "", true},
                     {"csw_temporal"},
                     {"u0", "Tadpole factor of asqtad"},
                     {"naik_epsilon", "Of hisq, for all masses or for each; default 0", "E[,E...]"}});
  group
      .add_option("--phases", options.phases, "In --fat and --long; default: as they state it, else milc",
                  one_of({"milc", "none"}))
      ->type_name("milc|none");
  add_domain_wall_options(group, options.quark);
  add_quark_options(
      group, options.quark,
      {{"xi0"}, {"nu"}, {"boundary", "Of each direction: periodic, antiperiodic, dirichlet or an angle"}});
}

void add_propagator_options(const Command& command, PropagatorOptions& options) {
  add_operator_options(command, options);
  command.in_group("Action").add_flag("--pairs", options.pairs, "Pions of each two different masses, too");

  Command group = command.in_group("Source");
  group.add_choice("--source", options.source, words_of(source_kinds), "Kind of source");
  group.add_option("--source-site", options.source_site, "Where it is; of a wall the time alone counts")
      ->type_name("X,Y,Z,T");
  group.add_option("--smearing-width", options.smearing_width, "Width of gaussian sources");
  group.add_option("--smearing-steps", options.smearing_steps, "Smearing steps of gaussian sources", positive());
  group.add_option("--seed", options.seed, "Seed of random numbers (wall-z2, --weak, multigrid)");

  add_solver_options(command.in_group("Solver"), options);

  group = command.in_group("Output");
  group.add_option("--output", options.output, "Write the propagator to this file")->type_name("FILE");
  group.add_choice("--output-format", options.output_format, words_of(propagator_formats),
                   "Of that file; usqcd: with sources; grid: not staggered; milc: staggered");
  group.add_flag("--milc-projectors", options.milc_projectors,
                 "gamma5 S gamma5 in that file, as MILC has Wilson propagators");
  group.add_option("--correlator", options.correlator, "Write correlator and report to this JSON file")
      ->type_name("FILE");
}

std::string with_suffix(const std::string& file, std::string_view suffix) {
  constexpr std::array endings{".json", ".lime", ".scidac", ".ildg", ".usqcd", ".milc",
                               ".prop", ".dat",  ".bin",    ".h5",   ".hdf5"};
  for (const std::string ending : endings) {  // what else follows a point may be part of a number
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size()) + std::string(suffix) + ending;
  }
  return file + std::string(suffix);
}

PropagatorPlan at_mass(const PropagatorPlan& plan, std::size_t n) {
  PropagatorPlan one = plan;
  if (plan.quarks.size() == 1) return one;
  one.quarks = {plan.quarks[n]};
  one.mass_words = {plan.mass_words[n]};
  for (std::string* file : {&one.given.output, &one.given.correlator}) {
    if (!file->empty()) *file = with_suffix(*file, "_m" + plan.mass_words[n]);
  }
  return one;
}

PropagatorPlan check_operator(const PropagatorOptions& options) {
  PropagatorPlan plan{.given = options};
  check_gauge(options);
  const FermionFamily& family = check_action(plan.given);
  plan_quarks(plan, family);
  plan.given.input.layout.lanes = options.lanes == "native" ? Lanes::native : Lanes::single;
  plan.given.input.layout.reach = family.reach();
  return plan;
}

PropagatorPlan check(const PropagatorOptions& options) {
  PropagatorPlan plan = check_operator(options);
  check_solver(plan);
  check_source(plan);
  if (options.output.empty()) {
    refuse_named(options.quark.named, {"--output-format", "--milc-projectors"}, "without --output");
  }
  require_name_of_format("--output", options.output, "--output-format", options.output_format);
  return plan;
}

}  // namespace kaon::apps
