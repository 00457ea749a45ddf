// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace kaon::detail {

/// By which launches are timed: the steady clock. Tests set one of their own, on which the machine's load is not seen.
extern std::chrono::steady_clock::time_point (*tuning_clock)();

/// Seconds that this process has spent on timing launch shapes. Reports of solves leave them out.
double tuning_seconds();

}  // namespace kaon::detail
