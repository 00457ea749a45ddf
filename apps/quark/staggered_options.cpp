// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/staggered_options.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kaon::apps {
namespace {

void require_different(const std::vector<double>& masses) {
  for (std::size_t n = 1; n < masses.size(); ++n) {
    if (std::find(masses.begin(), masses.begin() + static_cast<std::ptrdiff_t>(n), masses[n]) ==
        masses.begin() + static_cast<std::ptrdiff_t>(n)) {
      continue;
    }
    throw usage_error(fmt::format("--mass: {} is given twice", masses[n]));
  }
}

void check_u0(const PropagatorPlan& plan) {
  const std::optional<double>& u0 = plan.given.u0;
  if (plan.action != "asqtad") return;
  if (!u0) throw usage_error("--u0: needed with --action asqtad: the tadpole factor, 1 for none");
  require_tadpole_factor(*u0);
}

}  // namespace

void require_invertible(double mass) {
  // CG solves with 4m^2 - D D, and the other parity is divided by 2m.
  if (mass == 0.0) {
    throw usage_error("--mass: 0 has no staggered propagator here: sites of one parity are divided by 2m");
  }
  const double square = 4.0 * mass * mass;
  if (std::isnormal(square)) return;
  throw usage_error(fmt::format("--mass: 4m^2 of the staggered operator is {} for m = {}", square, mass));
}

void add_staggered_options(const Command& command, PropagatorOptions& options, const std::string& group) {
  command.add_option("--u0", options.u0, "Tadpole factor of asqtad").group(group);
  command.add_option("--naik-epsilon", options.naik_epsilons, "Of hisq, for all masses or for each; default 0")
      .type_name("E[,E...]")
      .group(group);
  command.add_option("--phases", options.phases, "In --fat and --long; default: as they state it, else milc")
      .check(one_of({"milc", "none"}))
      .type_name("milc|none")
      .group(group);
}

void require_staggered_options_to_fit(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  check_u0(plan);
  if (plan.action == "improved" && given.fat.empty()) {
    throw usage_error("--fat: needed with --action improved, and --long: its links");
  }
  if (plan.action != "improved" && !given.fat.empty()) {
    throw usage_error(
        fmt::format("--fat: has no meaning with --action {}, which makes its links from --gauge: give "
                    "--action improved, or none",
                    plan.action));
  }
  if (given.fat.empty() && !given.phases.empty()) {
    throw usage_error("--phases: has no meaning without --fat and --long");
  }
  if (given.pairs && given.mass.find(',') == std::string::npos) {
    throw usage_error("--pairs: needs several values of --mass");
  }
  if (!plan.staggered()) {
    if (given.output_format != "scidac") {
      throw usage_error(fmt::format("--output-format: {} is for staggered actions, not for --action {}",
                                    given.output_format, plan.action));
    }
    if (given.source != "corner-wall" && given.source != "even-wall") return;
    throw usage_error(
        fmt::format("--source: {} is for staggered actions: give wall for --action {}", given.source, plan.action));
  }
  for (const char* option : {"--smearing-width", "--smearing-steps", "--schur", "--schwarz-steps"}) {
    if (!given.named.contains(option)) continue;
    throw usage_error(fmt::format("{}: has no meaning with --action {}", option, plan.action));
  }
  if (given.source == "gaussian") {
    throw usage_error(
        fmt::format("--source: gaussian has no meaning with --action {}: give point or one of the walls", plan.action));
  }
  if (!given.eigenvectors.empty() && given.solver == "auto") plan.given.solver = "cg";
}

void check_staggered_masses(PropagatorPlan& plan) {
  if (plan.given.mass.empty()) throw usage_error(fmt::format("--mass: needed with --action {}", plan.action));
  plan.mass_words = split(plan.given.mass);
  plan.masses = parse_numbers("--mass", plan.given.mass);
  require_different(plan.masses);
  plan.physics.mass = plan.masses.front();
  if (plan.action != "hisq") return;
  plan.naik_epsilons = {0.0};
  if (!plan.given.naik_epsilons.empty()) {
    plan.naik_epsilons = parse_numbers("--naik-epsilon", plan.given.naik_epsilons);
  }
  if (plan.naik_epsilons.size() == 1) plan.naik_epsilons.resize(plan.masses.size(), plan.naik_epsilons.front());
  if (plan.naik_epsilons.size() == plan.masses.size()) return;
  throw usage_error(fmt::format("--naik-epsilon: {} values for {} masses: give one, or one for each",
                                plan.naik_epsilons.size(), plan.masses.size()));
}

std::string describe_staggered_action(const PropagatorPlan& plan) {
  if (plan.action == "asqtad") return fmt::format("asqtad, 2m + D, u0 = {}", *plan.given.u0);
  if (plan.action == "improved") return "improved staggered, 2m + D, with links of files";
  if (plan.action == "staggered") return "naive staggered, 2m + D";
  const std::vector<double>& epsilons = plan.naik_epsilons;
  const bool one = std::count(epsilons.begin(), epsilons.end(), epsilons.front()) == std::ssize(epsilons);
  return fmt::format("HISQ, 2m + D, Naik epsilon {}",
                     one ? fmt::format("{}", epsilons.front()) : fmt::format("{}", fmt::join(epsilons, ", ")));
}

}  // namespace kaon::apps
