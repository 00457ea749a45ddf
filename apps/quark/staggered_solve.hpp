// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/propagator_options.hpp"
#include "apps/quark/propagator_report.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/solvers/solver.hpp>

#include <span>
#include <vector>

namespace kaon::apps {

/// Solves M S = source of a staggered action for all masses of the plan, in their order, telling its progress. Masses
/// with the same links (of HISQ, with the same Naik epsilon) are solved for together, the lightest by multigrid if that
/// is chosen or pays, all with the eigenvectors of a file. Residuals are those of the whole system, the true ones in
/// double. Histories are those of solves: masses that are solved for together have one.
std::vector<SolveResult> solve_staggered(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                                         std::span<SpinorField<double>> propagators);

}  // namespace kaon::apps
