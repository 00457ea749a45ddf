// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <fmt/format.h>

namespace kaon::io {

/// Throws unless this process holds the whole lattice, and it has the extents of the host data.
inline void require_whole_lattice(const Lattice& lattice, const Coordinates& extents) {
  require(lattice.local_extents() == lattice.extents(), [&] {
    return fmt::format("files are read and written by one process so far, but the lattice {} is spread over several",
                       kaon::to_string(lattice.extents()));
  });
  require(lattice.extents() == extents, [&] {
    return fmt::format("the data have extents {} (x, y, z, t), but the lattice has {}", kaon::to_string(extents),
                       kaon::to_string(lattice.extents()));
  });
}

}  // namespace kaon::io
