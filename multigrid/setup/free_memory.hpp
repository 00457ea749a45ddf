// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <functional>
#include <optional>
#include <string>

namespace kaon::detail {

/// Bytes of the kernels' memory that this process can still allocate, as the device or the operating system reports;
/// none if neither does. Memory that lattices cache counts as used.
std::optional<double> free_memory();

/// Bytes of `bytes` that the process with the least free memory lacks, when the memory that lattices cache is freed; 0
/// or less: none. Collective.
double missing_bytes(const Lattice& lattice, double bytes);

/// Throws `Error` if `bytes` are not free: "{what()} takes ... GB, and ... GB are free: use more processes, {instead}".
/// Collective.
void require_free_memory(const Lattice& lattice, double bytes, const std::function<std::string()>& what,
                         const char* instead);

/// How many parts of `bytes_of_one` fit the free memory beside `bytes`, but at least `least` and at most `most`.
/// Collective.
int count_in_memory(const Lattice& lattice, double bytes, double bytes_of_one, int least, int most);

}  // namespace kaon::detail
