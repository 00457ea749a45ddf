// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/hmc/integrator.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <span>

namespace kaon::detail {

/// Throws `Error` unless both tolerances lie between 0 and 1, and iterations are possible.
void require_usable(const SolveOptions& solver);

/// Throws `Error` unless there is a scale, and each has a term and a step.
void require_scales(std::span<const TimeScale> scales);

}  // namespace kaon::detail
