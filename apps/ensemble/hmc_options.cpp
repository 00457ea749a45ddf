// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_plan.hpp"

#include "apps/cli/option_values.hpp"

#include <fmt/ranges.h>

#include <vector>

namespace kaon::apps {
namespace {

void add_action_options(const Command& command, HmcOptions& options) {
  Command group = command.in_group("Action");
  group.add_option("--beta", options.beta, "Coupling 6/g^2 of the gauge action", not_negative())->required();
  std::vector<std::string> gauge_words = words_of(gauge_actions);
  gauge_words.emplace_back(one_loop_action_word);
  group.add_choice("--gauge-action", options.gauge_action, gauge_words, "Loops of the gauge action");
  group.add_option("--gauge-u0", options.gauge_u0, "Tadpole factor of the gauge action one-loop", positive());
  group.add_option("--gauge-flavors", options.gauge_flavors,
                   "Flavours in the weights of one-loop; default: all of the quarks");
  group.add_choice("--action", options.quark.action, hmc_actions().words(),
                   "Of the quarks; clover ones are wilson with --csw");
  add_quark_options(group, options.quark,
                    {{"kappa", "Of Wilson-like quarks, kappa = 1/(2 (4 + m))", "K[,K...]"},
                     {"mass", "The same by their masses; neither: the gauge action alone", "M[,M...]"}});
  group.add_option("--flavors", options.flavors, "Number of flavours of each mass; default: 2")->type_name("N[,N...]");
  add_quark_options(group, options.quark, {{"mu", "Twisted mass: the flavours are a doublet of mu and -mu"}});
  group.add_option("--mu-bar", options.mu_bar, "Adds a heavy doublet of this twisted mass, of the same kappa and csw");
  group.add_option("--epsilon-bar", options.epsilon_bar, "Splitting of the heavy doublet");
  add_quark_options(group, options.quark,
                    {{"csw", "Clover coefficient c_sw; default 0: Wilson quarks"},
                     {"u0", "Tadpole factor of asqtad"},
                     {"naik_epsilon", "Of each mass of HISQ quarks; default: 0", "E[,E...]"}});
  add_domain_wall_options(group, options.quark);
  group.add_choice("--one-flavor", options.one_flavor, words_of(one_flavor_forms),
                   "Of domain wall quarks: by a rational function, or the exact action");
  add_quark_options(group, options.quark, {{"boundary", "Of the quarks: periodic, antiperiodic, dirichlet or angles"}});
  group.add_option("--heavier-mass", options.heavier_mass,
                   "By whose determinant those of lighter staggered quarks are divided", positive());
  group.add_option("--hasenbusch", options.hasenbusch, "Falling mu (domain wall: masses) that split the determinant")
      ->type_name("MU[,MU...]");
  group
      .add_option("--stout", options.stout, "Stout smearing of the links of quarks: rho, or one in x, y, z, t; levels")
      ->type_name("RHO,N");
}

void add_trajectory_options(const Command& command, HmcOptions& options) {
  Command group = command.in_group("Trajectories");
  group.add_option("--length", options.length, "Of a trajectory", positive());
  group
      .add_option("--integrator", options.integrator,
                  fmt::format("Of all time scales, or one for each:\n{}", fmt::join(words_of(integrators), "|")))
      ->type_name("NAME[,NAME...]");
  group.add_option("--steps", options.steps, "Of time scales: quarks or each of their terms, gauge action; 8,4 or 10")
      ->type_name("N[,N...]");
  group.add_option("--tune-steps", options.tune_steps,
                   "Find steps of the first time scale for this acceptance; writes no files");
  group.add_option("--accept-first", options.accept_first, "So many trajectories are accepted whatever dH is",
                   not_negative());
  group.add_option("--check-reversal", options.check_reversal,
                   "Trajectories between those that are run there and back; 0: none", not_negative());
  group = command.in_group("Solver");
  group
      .add_option("--eigenvalues", options.eigenvalues,
                  "Of rational functions; default: 1e-6,50; staggered 0,90; eofa 0.5,4/m^2")
      ->type_name("LOW,HIGH");
  std::vector<std::string> words, built;
  for (const SolvingMethod& method : krylov_methods) {
    if (!method.for_forces[OperatorKind::definite] || !method.solves_for(OperatorKind::definite)) continue;
    words.emplace_back(method.word);
    if (method.is_built()) built.emplace_back(method.word);
  }
  group.add_choice("--solver", options.method, words, "Of systems without mu")
      ->type_name(fmt::format("{}", fmt::join(built, "|")));
  group.add_option("--tolerance", options.solver.tolerance, "Of solves for dH", positive());
  group.add_option("--force-tolerance", options.solver.force_tolerance, "Of solves for forces", positive());
  group.add_option("--forecast", options.forecast, "Earlier solutions that solves for forces start from; 0: from zero",
                   not_negative());
}

}  // namespace

const QuarkActions& hmc_actions() {
  static const QuarkActions actions(
      [](const FermionFamily& family) { return family.has_forces && family.file_suffixes.size() == 1; },
      [](const FermionFamily& family) { return family.kind == OperatorKind::definite ? "wilson" : family.program; });
  return actions;
}

void add_hmc_options(const Command& command, HmcOptions& options) {
  add_action_options(command, options);
  add_trajectory_options(command, options);
}

}  // namespace kaon::apps
