// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/single_sites.hpp"

#include <kaon/core/lattice.hpp>

#include <string>
#include <vector>

namespace kaon::detail {

/// One number per `entry` (a local site, a link) for each of a few quantities: [quantity][entry].
using EntryValues = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

/// Room for them, without values. By default an entry is a local site.
inline EntryValues entry_values(const std::string& label, const Lattice& lattice, int quantities,
                                std::ptrdiff_t entries = 0) {
  return EntryValues(Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, label),
                     static_cast<std::size_t>(quantities),
                     static_cast<std::size_t>(entries > 0 ? entries : lattice.local_volume()));
}

/// Sum over entries of each quantity, over all processes. Added in the order of the entries, in parts whose size is
/// fixed: the same digits for any lanes, threads and schedule, at the price of one number stored per entry.
std::vector<double> ordered_sums(const Lattice& lattice, const EntryValues& values);

/// Sums as above of the values that `make(values)`, a kernel for single sites of fields of T, stores on each site.
template <class T, class Make>
std::vector<double> ordered_site_sums(const char* label, const Lattice& lattice, int quantities, const Make& make) {
  const EntryValues values = entry_values(label, lattice, quantities);
  for_each_single_site<T>(label, lattice, make(values));
  return ordered_sums(lattice, values);
}

}  // namespace kaon::detail
