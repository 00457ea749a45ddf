// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace kaon::detail {

/// Bytes of the kernels' memory that this process can still take, as the device or the operating system says; none
/// where neither does. Spare memory of lattices counts as taken.
std::optional<double> free_memory();

/// Set, it takes the place of `free_memory`: for tests.
std::optional<double>& forced_free_memory();

}  // namespace kaon::detail
