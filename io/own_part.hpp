// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/part.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <complex>
#include <span>
#include <vector>

namespace kaon::io {

/// The values on this process' sites, of host data that hold either these sites or those of the whole lattice, some
/// values a site. Throws `Error` where they hold neither.
inline std::vector<std::complex<double>> own_values(const Lattice& lattice, const Coordinates& extents,
                                                    std::span<const std::complex<double>> values) {
  if (extents == lattice.local_extents()) return {values.begin(), values.end()};
  require(extents == lattice.extents(), [&] {
    return fmt::format("the data have extents {} (x, y, z, t), but the lattice has {}, and {} on each process",
                       kaon::to_string(extents), kaon::to_string(lattice.extents()),
                       kaon::to_string(lattice.local_extents()));
  });
  const std::size_t per_site = values.size() / static_cast<std::size_t>(lattice.volume());
  std::vector<std::complex<double>> own;
  own.reserve(static_cast<std::size_t>(lattice.local_volume()) * per_site);
  for_each_run(part_of(lattice), static_cast<std::uint64_t>(lattice.volume()), [&](const Run& run) {
    const auto some = values.subspan(run.first * per_site, run.count * per_site);
    own.insert(own.end(), some.begin(), some.end());
  });
  return own;
}

}  // namespace kaon::io
