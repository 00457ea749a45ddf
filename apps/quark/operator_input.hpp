// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/quark/propagator_options.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <optional>

namespace kaon::apps {

/// A gauge field to compute on, and what there is to tell about it.
struct GaugeInput {
  GaugeField<double> links;  ///< the fat ones, where `smeared` are given
  Json description;
  std::optional<ImprovedLinks> smeared{};
};

/// Reads the links of the plan, or makes them for tests, and reports them. Collective.
GaugeInput read_operator_links(const Session& session, const PropagatorPlan& plan);

/// The operator of an action of Wilson's family.
Quark<double> wilson_like_operator(const PropagatorPlan& plan, const GaugeField<double>& links);

/// The operator of the plan's first mass.
Quark<double> make_operator(const GaugeInput& gauge, const PropagatorPlan& plan);

}  // namespace kaon::apps
