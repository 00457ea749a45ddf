// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/propagator_options.hpp"

#include <string>

namespace kaon::apps {

/// Declares the options of solvers of `kaon propagator`.
void add_solver_options(const Command& command, PropagatorOptions& options);

/// Sets tolerance, links and halos of the iterations. Throws `Failure` for options that contradict each other or have
/// no effect.
void check_solver(PropagatorPlan& plan);

}  // namespace kaon::apps
