// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace kaon::quda {

/// The closed paths whose first step is forward in direction mu, without this step, in QUDA's codes: plaquettes,
/// rectangles, and parallelograms in three directions. Each is listed once.
using Loops = std::vector<std::vector<int>>;
Loops plaquettes_at(int mu);
Loops rectangles_at(int mu);
Loops parallelograms_at(int mu);

}  // namespace kaon::quda
