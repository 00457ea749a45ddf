// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace kaon::detail {

/// Bytes of the kernels' memory that this process can still allocate, as the device or the operating system reports;
/// none if neither does. Memory that lattices cache counts as used.
std::optional<double> free_memory();

}  // namespace kaon::detail
