// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/operator_input.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace kaon::apps {

/// Reads the fat and long links of a plan and reports them. Collective.
GaugeInput read_smeared_field(const Session& session, const PropagatorPlan& plan);

/// The operator of a mass.
using MakeOperator = std::function<Quark<double>(double mass)>;

/// Masses whose operators have the same links.
struct MassGroup {
  std::vector<std::size_t> places;  ///< in the plan's masses
  MakeOperator dirac_of;
};

/// Groups of a staggered action: of HISQ, the masses with one Naik epsilon.
std::vector<MassGroup> mass_groups(const GaugeInput& gauge, const PropagatorPlan& plan);

}  // namespace kaon::apps
