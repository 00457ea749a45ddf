// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/quark/propagator_options.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sources.hpp>

#include <optional>
#include <vector>

namespace kaon::apps {

/// A gauge field to compute on, and its description for reports.
struct GaugeInput {
  GaugeField<double> links;  ///< the fat ones, where `smeared` are given
  Json description;
  std::optional<ImprovedLinks> smeared{};
};

/// Reads the links of the plan, or makes them for tests, and reports them. Collective.
GaugeInput read_operator_links(const Session& session, const PropagatorPlan& plan);

/// The quarks of all masses of the plan. Collective. Throws `Failure` for parameters that operators refuse.
std::vector<QuarkGroup> quarks_of(const PropagatorPlan& plan, const GaugeInput& gauge);

SourceParameters source_of(const PropagatorPlan& plan);

/// Solves for the propagators of the plan with messages about progress, multigrid and eigenvectors, and reads or writes
/// the near-null vectors of --multigrid-file. Collective. Throws `Failure`, naming the option at fault.
std::vector<QuarkPropagators<double>> propagate(const Session& session, const PropagatorPlan& plan,
                                                const GaugeInput& gauge);

}  // namespace kaon::apps
