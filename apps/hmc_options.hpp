// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble_run.hpp"

#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/propagators/any_operator.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kaon::apps {

/// Of `kaon hmc`.
struct HmcOptions {
  EnsembleOptions run;
  double beta = 0;
  std::string gauge_action = "wilson";
  std::string action = "wilson";
  std::string kappa, mass, flavors, eigenvalues, naik_epsilon;
  std::optional<double> u0, heavier_mass;
  std::optional<double> mu;
  double csw = 0;
  std::string boundary = "periodic,periodic,periodic,antiperiodic";
  std::string hasenbusch;
  double length = 1;
  std::string integrator = "omelyan";
  std::string steps;
  int accept_first = 0;
  int check_reversal = 0;
  std::string solver = "auto";
  double tolerance = 1e-10;
  double force_tolerance = 1e-8;
  std::set<std::string> named;  ///< options that the command line has
};

/// Quarks of one mass.
struct QuarkPlan {
  FermionParameters physics;
  double flavors = 2;
  double naik_epsilon = 0;
};

/// What the options come to.
struct HmcPlan {
  std::vector<QuarkPlan> quarks;
  std::vector<double> mu;  ///< of Hasenbusch's ratios
  SpectralRange range = RationalWilsonParameters{}.range;
  std::vector<int> steps;

  bool staggered() const { return !quarks.empty() && quarks[0].physics.action == FermionAction::staggered; }
  /// Terms of the action.
  std::size_t terms() const {
    if (staggered()) return 1;
    std::size_t count = 0;
    for (const QuarkPlan& quark : quarks) count += quark.flavors == 2 ? mu.size() + 1 : 1;
    return count;
  }
};

/// The options of the action, of trajectories and of solvers.
void add_hmc_options(const Command& command, HmcOptions& options);
/// Throws `Failure` for options that contradict each other or lack one.
HmcPlan plan_of(const HmcOptions& options);
/// The terms of quarks on one scale or one each, the gauge action on the last. Throws `Failure` for quarks that there
/// are not.
std::vector<TimeScale> time_scales(const HmcOptions& options, const HmcPlan& plan);
/// What determines the links, for checkpoints.
Json to_json(const HmcOptions& options, const HmcPlan& plan);

}  // namespace kaon::apps
