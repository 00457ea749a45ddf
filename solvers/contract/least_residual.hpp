// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// Tolerance of solves that are timed for a number of iterations. Solves of heavy quarks may get there. Numbers of
/// smaller residuals are denormal in single precision, and hosts are slow with them.
inline constexpr double least_residual = 1e-20;

}  // namespace kaon::detail
