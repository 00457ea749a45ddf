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
#include <functional>
#include <type_traits>
#include <vector>

namespace kaon::apps {
namespace {

bool is_mixed(const PropagatorPlan& plan) { return plan.precisions().inner != InnerPrecision::outer; }

/// Iterations in a lower precision than the answer's need not have all of its links' reals.
void check_links(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  std::vector<int> allowed = plan.family().link_reals;  // those of compressed links are the second
  const bool compress = is_mixed(plan) && detail::compiled_stencils().has_storage(static_cast<LinkStorage>(allowed[1]));
  plan.links = given.links.value_or(allowed[compress ? 1 : 0]);
  if (std::ranges::count(allowed, plan.links) > 0) return;
  const int last = allowed.back();
  allowed.pop_back();
  throw usage_error(fmt::format("--links: {} is not one of {} and {}{}", plan.links, fmt::join(allowed, ", "), last,
                                plan.family().links == FamilyLinks::thin ? "" : ", the reals of third links"));
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
  if (given.solver == "block-cg" && plan.family().several_masses && (has_masses_together || plan.single())) {
    throw usage_error(
        "--solver: block-cg solves for one mass at a time, in double: take auto, cg or multigrid, or one --mass with "
        "--precision double-half");
  }
  if (given.precision == "double" && rounded && has_masses_together) {
    refuse_without_meaning(plan.halo == HaloPrecision::field ? "--links" : "--halo",
                           "with --precision double and masses that are solved for together, on the exact operator");
  }
  const bool is_updated =
      given.solver != "gcr-dd" && (rounded || (!plan.family().normal_matrix.empty() && plan.single()));
  if (!is_mixed(plan) && !is_updated) {
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
  require_part(detail::Parts::eigenvectors || given.eigenvectors.empty(), "eigenvectors", "--eigenvectors",
               given.eigenvectors);
  const auto require_precision = [](const std::string& precision, const std::string& option) {
    if (detail::compiled_stencils().has_precision(precision)) return;
    throw usage_error(fmt::format("{}: this build has no operators in {} precision: ./dev build makes all of kaon",
                                  option, precision));
  };
  const SolvingMethod& method = entry_of(value_of(krylov_methods, given.solver));
  if (method.value == KrylovMethod::multigrid) require_precision("single", "--solver");
  require_part(method.is_built(), std::string(method.part), "--solver", given.solver);
  // If the iterations of double-single or double-half are not compiled, solvers use a higher precision.
  const std::string answer = given.precision.substr(0, given.precision.find('-'));
  require_precision(answer, "--precision");
  if (given.halo != "field") require_precision(given.halo, "--halo");
}

/// Checks the masses, and replaces `auto` by the method that it always chooses for the columns of a propagator.
void check_quarks(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const FermionFamily& family = plan.family();
  if (family.kind == OperatorKind::indefinite) {  // their spectra surround zero
    if (plan.single()) {
      throw usage_error(
          fmt::format("--precision: {}: {} propagators are in double", given.precision, given.quark.action));
    }
    if (given.solver == "auto") plan.given.solver = family.is_doublet() ? "cgnr" : "block-cg";
    if (!given.multigrid_file.empty() && given.solver == "multigrid") {
      throw usage_error(fmt::format("--multigrid-file: files have no near-null vectors of {} quarks: leave it out",
                                    given.quark.action));
    }
  }
  if (!given.eigenvectors.empty() && given.solver == "auto") plan.given.solver = "cg";
  for (const FermionParameters& quark : plan.quarks) {
    if (family.check_propagator != nullptr) with_value_of("--mass", [&] { family.check_propagator(quark); });
    if (family.several_masses && given.solver == "multigrid" && !(quark.mass > 0.0)) {
      throw usage_error(fmt::format(
          "--mass: {} is not positive, as multigrid of staggered quarks needs it: take --solver cg", quark.mass));
    }
  }
}

/// The default of --schur is that of the family; staggered quarks have a normal operator on each parity instead.
void check_schur(PropagatorPlan& plan) {
  PropagatorOptions& given = plan.given;
  if (given.solver == "gcr-dd" && given.schur == "none") {
    throw usage_error("--solver: gcr-dd needs even-odd preconditioning, --schur symmetric or asymmetric");
  }
  if (given.solver == "multigrid") {
    const char* const form = plan.family().kind == OperatorKind::indefinite ? "asymmetric" : "symmetric";
    if (given.quark.has("--schur") && given.schur != form) {
      throw usage_error(fmt::format("--schur: multigrid of {} quarks works on the {} form, not on {}",
                                    given.quark.action, form, given.schur));
    }
    given.schur = plan.family().schur ? form : "";
    return;
  }
  if (given.quark.has("--schur")) return;
  const std::optional<SchurForm> form = plan.family().schur;
  given.schur = form ? std::ranges::find(schur_forms, form, &OptionWord<std::optional<SchurForm>>::value)->word : "";
}

}  // namespace

void add_solver_numbers(const Command& command, SolveOptions& numbers,
                        const std::function<bool(const SolverOption&)>& is_wanted) {
  for_each_solver_number([&](const SolverOption& option, auto member) {
    if (!is_wanted(option)) return;
    const bool is_integer = std::is_same_v<decltype(member), int SolveOptions::*>;
    command.add_option(std::string(option.option), numbers.*member, std::string(option.text),
                       is_integer ? positive() : Check());
  });
}

void check_solver_numbers(const SolveOptions& numbers) {
  for_each_solver_number([&](const SolverOption& option, auto member) {
    const double number = numbers.*member;
    if (option.highest == 0.0 || (number > option.lowest && number < option.highest)) return;
    throw usage_error(
        fmt::format("{}: {} does not lie between {} and {}", option.option, number, option.lowest, option.highest));
  });
}

void refuse_unread_options(const std::set<std::string>& named, const std::vector<KrylovMethod>& methods,
                           const std::string& condition) {
  for (const SolverOption& row : solver_options) {
    const bool is_read = std::ranges::any_of(methods, [&](KrylovMethod method) { return row.reads(method); });
    if (named.contains(std::string(row.option)) && !is_read) {
      refuse_without_meaning(row.option, condition, std::string(entry_of(*row.method).word));
    }
  }
}

void add_solver_options(const Command& command, PropagatorOptions& options) {
  std::vector<std::string> built;
  for (const SolvingMethod& method : krylov_methods) {
    if (method.is_built()) built.emplace_back(method.word);
  }
  command
      .add_choice("--solver", options.solver, words_of(krylov_methods),
                  "auto: the fastest for the action and the number of solves")
      ->type_name(fmt::format("{}", fmt::join(built, "|")));
  command.add_choice("--schur", options.schur, words_of(schur_forms), "Even-odd preconditioning");
  command.add_choice("--precision", options.precision, words_of(solve_precisions),
                     "Of the answer (single: to 1e-6), and of iterations where that differs");
  command
      .add_option("--links", options.links, "Reals of a link in the iterations; default 12 (14), pure precisions 18")
      ->type_name("18|12|8|14|10");
  command.add_choice("--halo", options.halo, words_of(halos),
                     "Precision in which halos of the iterations travel at most");
  command
      .add_option("--multigrid-file", options.multigrid_file, "Near-null vectors: read, or written where there is none")
      ->type_name("FILE");
  command
      .add_option("--eigenvectors", options.eigenvectors, "Staggered: eigenvectors of kaon eigenvalues, for deflation")
      ->type_name("FILE");
  command.add_option("--eigenvector-bits", options.eigenvector_bits, "Of their numbers in memory; 16: a quarter of it")
      ->type_name("64|16");
  add_solver_numbers(command, options.numbers, [](const SolverOption&) { return true; });
  command.add_choice("--lanes", options.lanes, {"native", "single"}, "Sites in a vector register: all, or one");
}

void check_solver(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  check_parts(given);
  const bool single = plan.single();
  if (single && !given.quark.has("--tolerance")) plan.given.numbers.tolerance = 1e-6;
  check_solver_numbers(given.numbers);
  check_quarks(plan);
  check_links(plan);
  plan.halo = value_of(halos, given.halo);
  check_iterations(plan);
  check_schur(plan);
  refuse_unread_options(given.quark.named, {value_of(krylov_methods, given.solver)}, "with --solver " + given.solver);
  check_eigenvectors(plan);
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
