// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/first_entry.hpp"

namespace kaon::detail {

std::optional<SiteEntry> first_entry(const Lattice& lattice, int found, int parts) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  double last = none;  // of the negative numbers, which a double holds exactly
  if (found != no_entry) {
    Coordinates site = lexicographic_site(found / parts, lattice.local_extents());
    for (std::size_t mu = 0; mu < 4; ++mu) site[mu] += lattice.origin()[mu];
    last = -static_cast<double>(lexicographic_index(site, lattice.extents()) * parts + found % parts);
  }
  last = lattice.communicator().maximum(last);
  if (last == none) return std::nullopt;
  const auto entry = static_cast<std::ptrdiff_t>(-last);
  return SiteEntry{lexicographic_site(entry / parts, lattice.extents()), static_cast<int>(entry % parts)};
}

}  // namespace kaon::detail
