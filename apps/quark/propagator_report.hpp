// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/quark/operator_input.hpp"
#include "apps/quark/propagator_options.hpp"

#include <kaon/solvers/solver.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kaon::apps {

/// Everything that `kaon propagator` found.
struct PropagatorOutcome {
  SolveResult solve{};
  std::optional<double> joules{};                         ///< of the solves of all masses, with their setup
  std::vector<double> pion{};                             ///< C(t), t relative to the source
  std::vector<std::optional<double>> effective_masses{};  ///< between t and t + 1; none where there is no solution
  std::vector<double> residual_mass{};                    ///< of domain wall quarks with an even number of slices
  std::vector<double> axial_current{};                    ///< of domain wall quarks, t relative to the source
  std::map<std::string, std::vector<double>> flavors{};   ///< of a doublet: correlators between flavours
};

/// Action, masses and kappa, boundary.
void report_operator(const Session& session, const PropagatorPlan& plan);
Json operator_json(const PropagatorPlan& plan);

/// These, source and solver.
void report_plan(const Session& session, const PropagatorPlan& plan);
/// One line for each right-hand side, time and speed.
void report_solve(const Session& session, const PropagatorPlan& plan, const SolveResult& result);
/// How many point sources the source of the plan stands for: of noise on a wall, its sites.
double sources_of(const PropagatorPlan& plan, const Lattice& lattice);
/// C(t) and the effective masses, line by line.
void report_table(const Session& session, const PropagatorOutcome& outcome);
/// Correlator and effective mass as a table, and what the latter is.
void report_correlator(const Session& session, const PropagatorPlan& plan, const PropagatorOutcome& outcome);

/// Gauge field, actions, source, correlator and effective mass of two masses.
Json to_json(const Session& session, const PropagatorPlan& first, const PropagatorPlan& second, const GaugeInput& gauge,
             const PropagatorOutcome& outcome);

/// All of that, with provenance.
Json to_json(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
             const PropagatorOutcome& outcome);

}  // namespace kaon::apps
