// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <optional>

namespace kaon::detail {

/// One of several numbers, links or blocks on each site.
struct SiteEntry {
  Coordinates site{};  ///< global
  int part = 0;
};

/// The first of the entries that processes have found, each its own by `parts` * (local lexicographic number) + part.
/// Empty if none has found one. Equal on all processes. Collective.
std::optional<SiteEntry> first_entry(const Lattice& lattice, std::optional<int> found, int parts);

}  // namespace kaon::detail
