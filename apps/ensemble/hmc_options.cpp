// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_options.hpp"

#include "apps/cli/option_values.hpp"
#include "core/base/parts.hpp"

namespace kaon::apps {
namespace {

void add_action_options(const Command& command, HmcOptions& options) {
  const char* group = "Action";
  command.add_option("--beta", options.beta, "Coupling 6/g^2 of the gauge action")
      .required()
      .check(not_negative())
      .group(group);
  add_choice(command, "--gauge-action", options.gauge_action, words_of(gauge_actions), "Loops of the gauge action")
      .group(group);
  add_choice(command, "--action", options.action, words_of(quark_actions),
             "Of the quarks; clover ones are wilson with --csw")
      .group(group);
  command.add_option("--kappa", options.kappa, "Of Wilson-like quarks, kappa = 1/(2 (4 + m))")
      .type_name("K[,K...]")
      .group(group);
  command.add_option("--mass", options.mass, "The same by their masses; neither: the gauge action alone")
      .type_name("M[,M...]")
      .group(group);
  command.add_option("--flavors", options.flavors, "Number of flavours of each mass; default: 2")
      .type_name("N[,N...]")
      .group(group);
  command.add_option("--mu", options.mu, "Twisted mass: the flavours are a doublet of mu and -mu").group(group);
  command.add_option("--mu-bar", options.mu_bar, "Adds a heavy doublet of this twisted mass, of the same kappa and csw")
      .group(group);
  command.add_option("--epsilon-bar", options.epsilon_bar, "Splitting of the heavy doublet").group(group);
  command.add_option("--csw", options.csw, "Clover coefficient c_sw; 0: Wilson quarks")
      .capture_default_str()
      .group(group);
  command.add_option("--u0", options.u0, "Tadpole factor of asqtad").group(group);
  command.add_option("--naik-epsilon", options.naik_epsilon, "Of each mass of HISQ quarks; default: 0")
      .type_name("E[,E...]")
      .group(group);
  add_domain_wall_options(command, options.domain_wall, group);
  add_choice(command, "--one-flavor", options.one_flavor, words_of(one_flavor_forms),
             "Of domain wall quarks: by a rational function, or the exact action")
      .group(group);
  command.add_option("--boundary", options.boundary, "Of the quarks: periodic, antiperiodic or angles")
      .type_name("X,Y,Z,T")
      .capture_default_str()
      .group(group);
  command
      .add_option("--heavier-mass", options.heavier_mass,
                  "By whose determinant those of lighter staggered quarks are divided")
      .check(positive())
      .group(group);
  command.add_option("--hasenbusch", options.hasenbusch, "Falling mu (domain wall: masses) that split the determinant")
      .type_name("MU[,MU...]")
      .group(group);
}

void add_trajectory_options(const Command& command, HmcOptions& options) {
  const char* group = "Trajectories";
  command.add_option("--length", options.length, "Of a trajectory")
      .check(positive())
      .capture_default_str()
      .group(group);
  add_choice(command, "--integrator", options.integrator, words_of(integrators), "Of all time scales").group(group);
  command.add_option("--steps", options.steps, "Of time scales: quarks or each of their terms, gauge action; 8,4 or 10")
      .type_name("N[,N...]")
      .group(group);
  command.add_option("--accept-first", options.accept_first, "So many trajectories are accepted whatever dH is")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  command
      .add_option("--check-reversal", options.check_reversal,
                  "Trajectories between those that are run there and back; 0: none")
      .check(not_negative())
      .capture_default_str()
      .group(group);
  group = "Solver";
  command
      .add_option("--eigenvalues", options.eigenvalues,
                  "Of rational functions; default: 1e-6,50; staggered 0,90; eofa 0.5,4/m^2")
      .type_name("LOW,HIGH")
      .group(group);
  add_choice(command, "--solver", options.solver, words_of(action_solvers), "Of systems without mu")
      .type_name(detail::Parts::multigrid ? "auto|bicgstab|multigrid" : "auto|bicgstab")
      .group(group);
  command.add_option("--tolerance", options.tolerance, "Of solves for dH")
      .check(positive())
      .capture_default_str()
      .group(group);
  command.add_option("--force-tolerance", options.force_tolerance, "Of solves for forces")
      .check(positive())
      .capture_default_str()
      .group(group);
}

}  // namespace

void add_hmc_options(const Command& command, HmcOptions& options) {
  add_action_options(command, options);
  add_trajectory_options(command, options);
}

}  // namespace kaon::apps
