// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/hmc/integrator.hpp>

namespace kaon::detail {

/// Throws `Error` unless there is a scale, and each has a term and a step.
void require_scales(std::span<const TimeScale> scales);

}  // namespace kaon::detail
