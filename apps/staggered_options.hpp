// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/propagator_options.hpp"

#include <string>

namespace kaon::apps {

/// What `kaon propagator` takes for staggered actions alone, in a group of the help.
void add_staggered_options(const Command& command, PropagatorOptions& options, const std::string& group);

/// Throws `Failure` for options of staggered actions with others, and the other way round; sets the solver of staggered
/// actions.
void require_staggered_options_to_fit(PropagatorPlan& plan);

/// Sets masses and Naik epsilons of a staggered action. Throws `Failure` for those that it cannot have.
void check_staggered_masses(PropagatorPlan& plan);

/// "HISQ, 2m + D, Naik epsilon 0".
std::string describe_staggered_action(const PropagatorPlan& plan);

}  // namespace kaon::apps
