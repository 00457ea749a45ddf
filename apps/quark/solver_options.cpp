// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/solver_options.hpp"

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

bool is_mixed(const PropagatorOptions& given) { return given.precision.find('-') != std::string::npos; }

/// Iterations in a lower precision than the answer's need not have all of its links' reals.
void check_links(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const LinkStorage compressed = plan.improved() ? LinkStorage::two_rows_and_determinant : LinkStorage::two_rows;
  const bool compress = is_mixed(given) && detail::compiled_stencils().has_storage(compressed);
  plan.links = given.links.value_or(reals(compress ? compressed : LinkStorage::full));
  std::vector<int> allowed = plan.improved() ? std::vector{18, 14, 10} : std::vector{18, 12, 8};
  if (plan.action == "asqtad") allowed = {18, 14, 12, 10, 8};  // products of three links in SU(3)
  if (std::find(allowed.begin(), allowed.end(), plan.links) != allowed.end()) return;
  const int last = allowed.back();
  allowed.pop_back();
  throw usage_error(fmt::format("--links: {} is not one of {} and {}{}", plan.links, fmt::join(allowed, ", "), last,
                                plan.improved() ? ", the reals of third links" : ""));
}

/// Whether some masses take the iterations of one Krylov space.
bool has_masses_together(const PropagatorPlan& plan) {
  if (!plan.staggered()) return false;
  std::vector<double> epsilons = plan.naik_epsilons;
  epsilons.resize(plan.masses.size());  // of other actions: masses all have the same links
  std::sort(epsilons.begin(), epsilons.end());
  return std::ranges::adjacent_find(epsilons) != epsilons.end();
}

/// Iterations in the precision of the answer are on the exact operator, unless its links or halos are rounded.
void check_iterations(const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  const bool rounded = plan.links != reals(LinkStorage::full) || plan.halo != HaloPrecision::field;
  if (given.precision == "double" && rounded && has_masses_together(plan)) {
    throw usage_error(
        fmt::format("{}: has no meaning with --precision double and masses that are solved for together, on the exact "
                    "operator",
                    plan.halo == HaloPrecision::field ? "--links" : "--halo"));
  }
  const bool is_updated = given.solver != "gcr-dd" && (rounded || (plan.staggered() && plan.single()));
  if (!is_mixed(given) && !is_updated && given.named.contains("--delta")) {
    throw usage_error(fmt::format(
        "--delta: has no meaning with --precision {}: its iterations are on the exact operator", given.precision));
  }
}

void check_eigenvectors(const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  if (given.eigenvector_bits != 64 && given.eigenvector_bits != 16) {
    throw usage_error(fmt::format("--eigenvector-bits: {} is neither 64 nor 16", given.eigenvector_bits));
  }
  if (given.eigenvectors.empty()) {
    if (!given.named.contains("--eigenvector-bits")) return;
    throw usage_error("--eigenvector-bits: has no meaning without --eigenvectors");
  }
  if (!plan.staggered()) {
    throw usage_error(
        fmt::format("--eigenvectors: has no meaning with --action {}, only with staggered ones", plan.action));
  }
  const std::vector<double>& epsilons = plan.naik_epsilons;
  if (std::ranges::adjacent_find(epsilons, std::not_equal_to<>()) != epsilons.end()) {
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
  // Of double-single and double-half, higher precisions take the place of one that is missing.
  const std::string answer = given.precision.substr(0, given.precision.find('-'));
  require_precision(answer, "--precision");
  if (given.halo != "field") require_precision(given.halo, "--halo");
}

/// The spectrum of domain wall quarks surrounds zero, and so may that of a doublet.
void check_normal_solver(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  if (plan.single()) {
    throw usage_error(fmt::format("--precision: {}: {} propagators are in double", given.precision, plan.action));
  }
  if (plan.domain_wall() && !given.named.contains("--schur")) plan.given.schur = "asymmetric";
  if (given.solver == "auto") plan.given.solver = "cgnr";
}

}  // namespace

void add_solver_options(const Command& command, PropagatorOptions& options, const std::string& group) {
  using detail::Parts;
  constexpr bool has_multigrid = Parts::multigrid && detail::has_precision<float>;
  std::string words = "auto|bicgstab", meaning = "auto: bicgstab";  // those of this build
  if (Parts::solvers) words += "|cgnr|cgne|gcr-dd";
  if (has_multigrid) words += "|multigrid";
  if (Parts::staggered) words += "|cg";
  if (has_multigrid) meaning += ", multigrid if that pays";
  if (Parts::solvers) meaning += "; gcr-dd: many nodes";
  if (Parts::staggered) meaning += "; staggered: cg";
  add_choice(command, "--solver", options.solver, words_of(krylov_methods), meaning).type_name(words).group(group);
  add_choice(command, "--schur", options.schur, {"symmetric", "asymmetric", "none"}, "Even-odd preconditioning")
      .group(group);
  add_choice(command, "--precision", options.precision,
             {"double-half", "double-single", "double", "single-half", "single"},
             "Of the answer (single: to 1e-6), and of iterations where that differs")
      .group(group);
  command.add_option("--links", options.links, "Reals of a link in the iterations; default 12 (14), pure precisions 18")
      .type_name("18|12|8|14|10")
      .group(group);
  add_choice(command, "--halo", options.halo, {"field", "single", "half"},
             "Precision in which halos of the iterations travel at most")
      .group(group);
  command
      .add_option("--multigrid-file", options.multigrid_file, "Near-null vectors: read, or written where there is none")
      .type_name("FILE")
      .group(group);
  command
      .add_option("--eigenvectors", options.eigenvectors, "Staggered: eigenvectors of kaon eigenvalues, for deflation")
      .type_name("FILE")
      .group(group);
  command.add_option("--eigenvector-bits", options.eigenvector_bits, "Of their numbers in memory; 16: a quarter of it")
      .type_name("64|16")
      .capture_default_str()
      .group(group);
  for_each_solver_number([&](const SolverOption& option, auto member) {
    const Option added =
        command.add_option(std::string(option.option), options.numbers.*member, std::string(option.text));
    added.capture_default_str().group(group);
    if constexpr (std::is_same_v<decltype(member), int SolveOptions::*>) added.check(positive());
  });
  add_choice(command, "--lanes", options.lanes, {"native", "single"}, "Sites in a vector register: all, or one")
      .group(group);
}

void check_solver(PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  check_parts(given);
  const bool single = plan.single();
  if (single && !given.named.contains("--tolerance")) plan.given.numbers.tolerance = 1e-6;
  plan.tolerance = given.numbers.tolerance;
  for_each_solver_number([&](const SolverOption& option, auto member) {
    const double number = given.numbers.*member;
    if (option.highest == 0.0 || (number > option.lowest && number < option.highest)) return;
    throw usage_error(
        fmt::format("{}: {} does not lie between {} and {}", option.option, number, option.lowest, option.highest));
  });
  if (plan.has_slices()) check_normal_solver(plan);
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
  if (given.solver == "multigrid" && plan.staggered()) {
    const auto mass = std::ranges::find_if(plan.masses, [](double m) { return !(m > 0.0); });
    if (mass != plan.masses.end()) {
      throw usage_error(fmt::format(
          "--mass: {} is not positive, as multigrid of staggered quarks needs it: take --solver cg", *mass));
    }
  }
  if (given.solver != "multigrid" && !given.multigrid_file.empty()) {
    throw usage_error(
        fmt::format("--multigrid-file: has no meaning with --solver {}, only with multigrid", plan.given.solver));
  }
  check_eigenvectors(plan);
  if (given.solver != "gcr-dd" && given.named.contains("--schwarz-steps")) {
    throw usage_error(
        fmt::format("--schwarz-steps: has no meaning with --solver {}, only with gcr-dd", plan.given.solver));
  }
  if (given.solver == "gcr-dd" && plan.links == 8) {
    throw usage_error("--links: gcr-dd keeps links with zeros at the edges of blocks, which takes 18 or 12 reals");
  }
  if (given.solver == "gcr-dd" && given.numbers.reliable_delta > 0.4) {
    throw usage_error(fmt::format("--delta: gcr-dd needs at most 0.4, not {}: a cycle must show that it helps",
                                  given.numbers.reliable_delta));
  }
  const double reachable = single ? 5e-7 : 1e-15;
  if (plan.tolerance < reachable) {
    throw usage_error(fmt::format("--tolerance: {} is more than {} precision can reach (about {})", plan.tolerance,
                                  given.precision, reachable));
  }
}

}  // namespace kaon::apps
