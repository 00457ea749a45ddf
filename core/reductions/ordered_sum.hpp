// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <vector>

namespace kaon::detail {

/// One number per `entry` (a local site, a link) for each of a few quantities: [quantity][entry].
using EntryValues = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

/// Sum over entries of each quantity, over all processes. Added in the order of the entries, in parts whose size is
/// fixed: the same digits for any lanes, threads and schedule, at the price of one number stored per entry.
std::vector<double> ordered_sums(const Lattice& lattice, const EntryValues& values);

}  // namespace kaon::detail
