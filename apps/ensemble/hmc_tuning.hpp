// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/ensemble/hmc_plan.hpp"

namespace kaon::apps {

// dH of trajectories in equilibrium has a normal distribution of width s and mean s^2/2, so that <exp(-dH)> = 1, and
// erfc(s / sqrt(8)) of them are accepted.

double acceptance_of_width(double width);
/// s of an acceptance between 0 and 1.
double width_of_acceptance(double acceptance);

/// The order in h of the width, that of the time scale with the lowest one.
int order_of(const std::vector<TimeScale>& scales);

/// Finds the number of steps of the first time scale for the acceptance of --tune-steps, by rounds of trajectories from
/// --start, and says what each round has found. Writes no files.
Exit tune_steps(const Session& session, const HmcOptions& options, const HmcPlan& plan);

}  // namespace kaon::apps
