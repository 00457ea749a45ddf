// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagator_options.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "core/base/parts.hpp"
#include "operators/stencil_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <vector>

namespace kaon::apps {
namespace {

bool is_mixed(const PropagatorOptions& given) { return given.precision.find('-') != std::string::npos; }

/// Iterations in a lower precision than the answer's need not have all of its links' reals.
void check_links(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const FermionFamily& family = plan.family();
  const bool third = family.links != FamilyLinks::thin;
  const LinkStorage compressed = third ? LinkStorage::two_rows_and_determinant : LinkStorage::two_rows;
  const bool compress = is_mixed(given) && detail::compiled_stencils().has_storage(compressed);
  plan.links = given.links.value_or(reals(compress ? compressed : LinkStorage::full));
  std::vector<int> allowed = third ? std::vector{18, 14, 10} : std::vector{18, 12, 8};
  if (family.reads("u0")) allowed = {18, 14, 12, 10, 8};  // products of three links in SU(3)
  if (std::find(allowed.begin(), allowed.end(), plan.links) != allowed.end()) return;
  const int last = allowed.back();
  allowed.pop_back();
  throw usage_error(fmt::format("--links: {} is not one of {} and {}{}", plan.links, fmt::join(allowed, ", "), last,
                                third ? ", the reals of third links" : ""));
}

std::vector<double> naik_epsilons(const PropagatorPlan& plan) {
  std::vector<double> epsilons;
  for (const FermionParameters& quark : plan.quarks) epsilons.push_back(quark.naik_epsilon);
  std::ranges::sort(epsilons);
  return epsilons;
}

/// Iterations in the precision of the answer are on the exact operator, unless its links or halos are rounded.
void check_iterations(const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const bool rounded = plan.links != reals(LinkStorage::full) || plan.halo != HaloPrecision::field;
  const std::vector<double> epsilons = naik_epsilons(plan);
  // Masses with the same links take the iterations of one Krylov space.
  const bool has_masses_together = std::ranges::adjacent_find(epsilons) != epsilons.end();
  if (given.precision == "double" && rounded && has_masses_together) {
    refuse_without_meaning(plan.halo == HaloPrecision::field ? "--links" : "--halo",
                           "with --precision double and masses that are solved for together, on the exact operator");
  }
  const bool is_updated = given.solver != "gcr-dd" && (rounded || (plan.family().is_staggered() && plan.single()));
  if (!is_mixed(given) && !is_updated) {
    refuse_named(given.quark.named, {"--delta"},
                 fmt::format("with --precision {}: its iterations are on the exact operator", given.precision));
  }
}

void check_eigenvectors(const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  if (given.eigenvector_bits != 64 && given.eigenvector_bits != 16) {
    throw usage_error(fmt::format("--eigenvector-bits: {} is neither 64 nor 16", given.eigenvector_bits));
  }
  if (given.eigenvectors.empty()) {
    return refuse_named(given.quark.named, {"--eigenvector-bits"}, "without --eigenvectors");
  }
  const std::vector<double> epsilons = naik_epsilons(plan);
  if (epsilons.front() != epsilons.back()) {
    throw usage_error(
        "--eigenvectors: those of one Naik epsilon are not those of another: give --naik-epsilon one value");
  }
  if (plan.single()) {
    throw usage_error(
        fmt::format("--eigenvectors: not with --precision {}: they deflate solves in double", given.precision));
  }
}

/// Checks that this build has the parts.
void check_parts(const PropagatorOptions& given) {
  using detail::Parts;
  const bool is_basic = given.solver == "auto" || given.solver == "bicgstab" || given.solver == "multigrid";
  require_part(Parts::multigrid || given.solver != "multigrid", "multigrid", "--solver", given.solver);
  require_part(Parts::solvers || is_basic, "solvers", "--solver", given.solver);
  require_part(Parts::eigenvectors || given.eigenvectors.empty(), "eigenvectors", "--eigenvectors", given.eigenvectors);
  const auto require_precision = [](const std::string& precision, const std::string& option) {
    if (detail::compiled_stencils().has_precision(precision)) return;
    throw usage_error(fmt::format("{}: this build has no operators in {} precision: ./dev build makes all of kaon",
                                  option, precision));
  };
  if (given.solver == "multigrid") require_precision("single", "--solver");
  // If the iterations of double-single or double-half are not compiled, solvers use a higher precision.
  const std::string answer = given.precision.substr(0, given.precision.find('-'));
  require_precision(answer, "--precision");
  if (given.halo != "field") require_precision(given.halo, "--halo");
}

/// The spectrum of domain wall quarks surrounds zero, and so may that of a doublet.
void check_normal_solver(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  if (plan.single()) {
    throw usage_error(
        fmt::format("--precision: {}: {} propagators are in double", given.precision, given.quark.action));
  }
  if (plan.family().reads("slices") && !given.quark.has("--schur")) plan.given.schur = "asymmetric";
  if (given.solver == "auto") plan.given.solver = "cgnr";
}

/// Staggered quarks have a normal operator on each parity, 4m^2 - D D, and no Schur complement.
void check_normal_system(PropagatorPlan& plan) {
  for (const FermionParameters& quark : plan.quarks) {
    if (quark.mass == 0.0) {
      throw usage_error("--mass: 0 has no staggered propagator here: sites of one parity are divided by 2m");
    }
    const double square = 4.0 * quark.mass * quark.mass;
    if (!std::isnormal(square)) {
      throw usage_error(fmt::format("--mass: 4m^2 of the staggered operator is {} for m = {}", square, quark.mass));
    }
    if (plan.given.solver == "multigrid" && !(quark.mass > 0.0)) {
      throw usage_error(fmt::format(
          "--mass: {} is not positive, as multigrid of staggered quarks needs it: take --solver cg", quark.mass));
    }
  }
  plan.given.schur.clear();
}

}  // namespace

void add_solver_options(const Command& command, PropagatorOptions& options) {
  using detail::Parts;
  constexpr bool has_multigrid = Parts::multigrid && detail::has_precision<float>;
  std::string words = "auto|bicgstab", meaning = "auto: bicgstab";  // those of this build
  if (Parts::solvers) words += "|cgnr|cgne|gcr-dd";
  if (has_multigrid) words += "|multigrid";
  if (Parts::staggered) words += "|cg";
  if (has_multigrid) meaning += ", multigrid if that pays";
  if (Parts::solvers) meaning += "; gcr-dd: many nodes";
  if (Parts::staggered) meaning += "; staggered: cg";
  command.add_choice("--solver", options.solver, words_of(krylov_methods), meaning)->type_name(words);
  command.add_choice("--schur", options.schur, {"symmetric", "asymmetric", "none"}, "Even-odd preconditioning");
  command.add_choice("--precision", options.precision,
                     {"double-half", "double-single", "double", "single-half", "single"},
                     "Of the answer (single: to 1e-6), and of iterations where that differs");
  command
      .add_option("--links", options.links, "Reals of a link in the iterations; default 12 (14), pure precisions 18")
      ->type_name("18|12|8|14|10");
  command.add_choice("--halo", options.halo, {"field", "single", "half"},
                     "Precision in which halos of the iterations travel at most");
  command
      .add_option("--multigrid-file", options.multigrid_file, "Near-null vectors: read, or written where there is none")
      ->type_name("FILE");
  command
      .add_option("--eigenvectors", options.eigenvectors, "Staggered: eigenvectors of kaon eigenvalues, for deflation")
      ->type_name("FILE");
  command.add_option("--eigenvector-bits", options.eigenvector_bits, "Of their numbers in memory; 16: a quarter of it")
      ->type_name("64|16");
  for_each_solver_number([&](const SolverOption& option, auto member) {
    const bool is_integer = std::is_same_v<decltype(member), int SolveOptions::*>;
    command.add_option(std::string(option.option), options.numbers.*member, std::string(option.text),
                       is_integer ? positive() : Check());
  });
  command.add_choice("--lanes", options.lanes, {"native", "single"}, "Sites in a vector register: all, or one");
}

void check_solver(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  check_parts(given);
  const bool single = plan.single();
  if (single && !given.quark.has("--tolerance")) plan.given.numbers.tolerance = 1e-6;
  for_each_solver_number([&](const SolverOption& option, auto member) {
    const double number = given.numbers.*member;
    if (option.highest == 0.0 || (number > option.lowest && number < option.highest)) return;
    throw usage_error(
        fmt::format("{}: {} does not lie between {} and {}", option.option, number, option.lowest, option.highest));
  });
  if (plan.family().has_slices()) check_normal_solver(plan);
  check_links(plan);
  if (given.halo == "single") plan.halo = HaloPrecision::single;
  if (given.halo == "half") plan.halo = HaloPrecision::half;
  check_iterations(plan);
  if (given.solver == "gcr-dd" && given.schur == "none") {
    throw usage_error("--solver: gcr-dd needs even-odd preconditioning, --schur symmetric or asymmetric");
  }
  if (given.solver == "multigrid" && given.schur != "symmetric") {
    throw usage_error(fmt::format("--schur: multigrid works on the symmetric form, not on {}", given.schur));
  }
  if (plan.family().is_staggered()) check_normal_system(plan);
  if (given.solver != "multigrid") {
    refuse_named(given.quark.named, {"--multigrid-file"}, "with --solver " + given.solver, "multigrid");
  }
  check_eigenvectors(plan);
  if (given.solver != "gcr-dd") {
    refuse_named(given.quark.named, {"--schwarz-steps"}, "with --solver " + given.solver, "gcr-dd");
  }
  if (given.solver == "gcr-dd" && plan.links == 8) {
    throw usage_error("--links: gcr-dd keeps links with zeros at the edges of blocks, which takes 18 or 12 reals");
  }
  if (given.solver == "gcr-dd" && given.numbers.reliable_delta > 0.4) {
    throw usage_error(fmt::format("--delta: gcr-dd needs at most 0.4, not {}: a cycle must show that it helps",
                                  given.numbers.reliable_delta));
  }
  const double reachable = single ? 5e-7 : 1e-15;
  if (given.numbers.tolerance < reachable) {
    throw usage_error(fmt::format("--tolerance: {} is more than {} precision can reach (about {})",
                                  given.numbers.tolerance, given.precision, reachable));
  }
}

}  // namespace kaon::apps
