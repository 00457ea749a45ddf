// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/report.hpp>

#include <string_view>
#include <vector>

namespace kaon::detail {

/// Adds seconds to those of a part of the setup.
void add_seconds(MultigridReport& report, std::string_view part, double seconds);
double seconds_of_parts(const MultigridReport& report);

/// Share of each level in the time of a cycle. seconds[l] is the time of the solver of level l with all levels below
/// it; on levels between the first and the last it applies the next solver `cycle_steps` times.
std::vector<double> shares_of_levels(const std::vector<double>& seconds, int cycle_steps);

}  // namespace kaon::detail
