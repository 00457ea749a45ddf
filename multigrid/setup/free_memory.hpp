// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <optional>

namespace kaon::detail {

/// Bytes of the kernels' memory that this process can still allocate, as the device or the operating system reports;
/// none if neither does. Memory that lattices cache counts as used.
std::optional<double> free_memory();

/// Bytes of `bytes` that the process with the least free memory lacks, when the memory that lattices cache is freed; 0
/// or less: none. Collective.
double missing_bytes(const Lattice& lattice, double bytes);

}  // namespace kaon::detail
