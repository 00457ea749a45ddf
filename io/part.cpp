// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/part.hpp"

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

}  // namespace kaon::io
