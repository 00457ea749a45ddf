// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagate.hpp"
#include "apps/quark/propagator_options.hpp"

#include <kaon/measure/quark_correlators.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kaon::apps {

/// The results of `kaon propagator` for one mass.
struct PropagatorOutcome {
  SolveResult solve{};
  std::optional<double> joules{};         ///< of the solves of all masses, with their setup
  std::vector<Correlator> correlators{};  ///< of `quark_correlators`; of pairs the pion alone
};

/// Action, masses and kappa, boundary.
void report_operator(const Session& session, const PropagatorPlan& plan);
Json operator_json(const PropagatorPlan& plan);

/// These, source and solver.
void report_plan(const Session& session, const PropagatorPlan& plan);
/// One line for each right-hand side, time and speed.
void report_solve(const Session& session, const PropagatorPlan& plan, const SolveResult& result);
/// Advice for the user whose solve did not converge.
std::string explain_failure(const PropagatorPlan& plan, const SolveResult& result);
/// The pion and its effective mass as a table, and what the latter is.
void report_correlators(const Session& session, const PropagatorPlan& plan, const std::vector<Correlator>& correlators);
/// The report of the pion of two masses.
void report_pair(const Session& session, const PropagatorPlan& plan, std::size_t first, std::size_t second,
                 const Correlator& pion);

/// Gauge field, actions, source, correlator and effective mass of two masses.
Json to_json(const Session& session, const PropagatorPlan& first, const PropagatorPlan& second, const GaugeInput& gauge,
             const Correlator& pion);

/// All of that, with provenance.
Json to_json(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
             const PropagatorOutcome& outcome);

// Output files of `kaon propagator`. Collective.

/// Checks before long work that no output replaces an input or another output, and that all can be written.
void require_usable_files(const Session& session, const PropagatorPlan& plan);
/// Checks before the solves that the disk has space for the propagators.
void require_space(const Session& session, const PropagatorPlan& plan, const Lattice& lattice);
/// The files of the links.
std::vector<NamedFile> inputs_of(const PropagatorOptions& given);

/// Adds the report and the propagators of one mass, in the format of --output-format; `links` smear the sources that go
/// with them.
void add_files(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, const Json& report,
               const QuarkPropagators<double>& quark, const GaugeField<double>& links);

/// Adds the report about two masses.
void add_file_of_pair(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, std::size_t first,
                      std::size_t second, const Json& report);

}  // namespace kaon::apps
