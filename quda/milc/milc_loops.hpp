// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace kaon::quda {

/// The closed paths that begin with a step forward in direction mu, without that step, in QUDA's codes: of plaquettes,
/// of rectangles, and of parallelograms in three directions. Each is listed once.
using Loops = std::vector<std::vector<int>>;
Loops plaquettes_at(int mu);
Loops rectangles_at(int mu);
Loops parallelograms_at(int mu);

}  // namespace kaon::quda
