// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace kaon::detail {

/// The numbers of the shifts from the smallest to the largest. Throws `Error` where there is none, and for a shift that
/// is negative or no number.
std::vector<std::size_t> order_of_shifts(const std::vector<double>& shifts);

}  // namespace kaon::detail
