// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/single_sites.hpp"

#include <kaon/core/lattice.hpp>

#include <limits>
#include <optional>

namespace kaon::detail {

/// One of several numbers, links or blocks on each site.
struct SiteEntry {
  Coordinates site{};  ///< global
  int part = 0;
};

/// The number of an entry that was not found.
inline constexpr int no_entry = std::numeric_limits<int>::max();

/// The first of the entries that processes have found, each its own by `parts` * (local lexicographic number) + part.
/// Empty if none has found one. Equal on all processes. Collective.
std::optional<SiteEntry> first_entry(const Lattice& lattice, int found, int parts);

/// The first entry to which `kernel(x, first)` reduces on the single sites of fields of T.
template <class T, class Kernel>
std::optional<SiteEntry> find_first_entry(const char* label, const Lattice& lattice, const Kernel& kernel, int parts) {
  int first = no_entry;
  reduce_single_sites<T>(label, lattice, kernel, Kokkos::Min<int>(first));
  return first_entry(lattice, first, parts);
}

}  // namespace kaon::detail
