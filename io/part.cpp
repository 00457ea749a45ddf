// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/part.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::io {

bool Part::holds(const Coordinates& site) const {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (site[mu] < origin[mu] || site[mu] >= origin[mu] + local_extents[mu]) return false;
  }
  return true;
}

std::ptrdiff_t Part::local_index(const Coordinates& site) const {
  Coordinates local{};
  for (std::size_t mu = 0; mu < 4; ++mu) local[mu] = site[mu] - origin[mu];
  return lexicographic_index(local, local_extents);
}

std::ptrdiff_t Part::global_index(std::ptrdiff_t local_site) const {
  Coordinates site = lexicographic_site(local_site, local_extents);
  for (std::size_t mu = 0; mu < 4; ++mu) site[mu] += origin[mu];
  return lexicographic_index(site, extents);
}

bool has_possible_volume(const Coordinates& extents) {
  std::ptrdiff_t room = std::ptrdiff_t{1} << 40;
  for (const int extent : extents) {
    if (extent < 1) return false;
    room /= extent;
  }
  return room > 0;
}

Part whole_part(const Coordinates& extents) { return {.extents = extents, .local_extents = extents}; }

Part part_of(const Lattice& lattice) {
  Part part{.communicator = lattice.communicator(),
            .extents = lattice.extents(),
            .local_extents = lattice.local_extents(),
            .origin = lattice.origin()};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    part.ahead[mu] = lattice.neighbor(mu, 1);
    part.behind[mu] = lattice.neighbor(mu, -1);
  }
  return part;
}

std::vector<std::complex<double>> own_values(const Lattice& lattice, const Coordinates& extents,
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
