// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/propagator_options.hpp"

#include <string>

namespace kaon::apps {

/// The options of staggered operators alone, in a group of the help.
void add_staggered_options(const Command& command, PropagatorOptions& options, const std::string& group);

/// Throws `Failure` for options of staggered actions with others, and the other way round; sets the solver of staggered
/// actions.
void require_staggered_options_to_fit(PropagatorPlan& plan);

/// Sets masses and Naik epsilons of a staggered action. Throws `Failure` for those that it cannot have.
void check_staggered_masses(PropagatorPlan& plan);
/// Throws `Failure` for a mass of which there is no propagator.
void require_invertible(double mass);

/// "HISQ, 2m + D, Naik epsilon 0".
std::string describe_staggered_action(const PropagatorPlan& plan);

}  // namespace kaon::apps
