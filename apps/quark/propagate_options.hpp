// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/operator_input.hpp"
#include "apps/quark/propagator_options.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sources.hpp>

#include <span>
#include <vector>

namespace kaon::apps {

SourceParameters source_of(const PropagatorPlan& plan);

/// Solves for the propagators of the plan with messages about progress, multigrid and eigenvectors, and reads or writes
/// the near-null vectors of --multigrid-file. Collective. Throws `Failure`, naming the option at fault.
std::vector<QuarkPropagators<double>> propagate(const Session& session, const PropagatorPlan& plan,
                                                const GaugeInput& gauge);

}  // namespace kaon::apps
