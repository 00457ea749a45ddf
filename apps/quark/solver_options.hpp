// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/propagator_options.hpp"

#include <string>

namespace kaon::apps {

/// The options of solvers of `kaon propagator`, in a group of the help.
void add_solver_options(const Command& command, PropagatorOptions& options, const std::string& group);

/// Sets tolerance, links and halos of the iterations. Throws `Failure` for options that contradict each other or have
/// no effect.
void check_solver(PropagatorPlan& plan);

}  // namespace kaon::apps
