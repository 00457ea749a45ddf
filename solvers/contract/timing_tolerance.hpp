// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// Tolerance of solves that are timed for a number of iterations: heavy quarks may reach it. Below it, numbers in
/// single precision are denormal, which slows hosts down.
inline constexpr double timing_tolerance = 1e-20;

}  // namespace kaon::detail
