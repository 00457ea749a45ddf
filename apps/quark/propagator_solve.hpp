// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/propagator_options.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/multigrid/report.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/solver.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kaon::apps {

/// Sets the sources of the plan. Throws `Failure` where smearing overflows.
void set_source(SpinorField<double>& source, const PropagatorPlan& plan, const GaugeField<double>& links);

/// As in `SolveResult`: [iteration][right-hand side].
using ResidualHistory = std::vector<std::vector<double>>;

/// Tolerance, precision, links and so on of a solver that tells its progress. Its iterations add to `history`, which
/// must outlive it.
SolveOptions solver_parameters(ResidualHistory& history, const Session& session,
                                             const PropagatorPlan& plan);

/// Prints the table of levels, if there are some.
void report_levels(const Session& session, const std::optional<MultigridReport>& levels);

/// Solves M S = source of an action of Wilson's family in the precision that was asked for, telling its progress.
/// Residuals in the result are those of the whole system, the true ones in double. It has a history.
SolveResult solve_propagator(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                             SpinorField<double>& propagator);

/// Quantities of domain wall quarks beside their propagators in four dimensions.
struct DomainWallOutcome {
  std::optional<SpinorField<double>> midpoint{};  ///< propagators to the midpoint, where it has a field for them
  std::vector<double> axial_current{};            ///< t of the lattice
};

/// The same of domain wall quarks. The residuals are those in five dimensions.
SolveResult solve_domain_wall(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                              SpinorField<double>& propagator, DomainWallOutcome& outcome);

/// The same of a twisted doublet: four propagators, [2 * sink + source] of the flavours. The right-hand sides are those
/// of sources in flavour 0, then of sources in flavour 1.
SolveResult solve_doublet(const Session& session, const PropagatorPlan& plan, const GaugeField<double>& links,
                          std::vector<SpinorField<double>>& propagators);

/// Advice for the user whose solve did not converge.
std::string explain_failure(const PropagatorPlan& plan, const SolveResult& result);

}  // namespace kaon::apps
