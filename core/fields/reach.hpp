// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/array_view.hpp>

namespace kaon::detail {

/// Whether kernels can read and write a caller's memory if it is; else it is the host's, on a build for devices.
/// Throws `Error` if it is not the memory that the caller calls it, and for that of another device.
bool kernels_reach(const void* pointer, ArrayMemory memory);

}  // namespace kaon::detail
