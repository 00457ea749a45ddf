// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace kaon {

/// Number of space-time directions; mu = 0..3 are x, y, z, t.
inline constexpr int directions = 4;
/// Number of colours of every gauge field.
inline constexpr int colors = 3;

/// One integer per direction, in the order x, y, z, t: a site, or the extents of a lattice.
using Coordinates = std::array<int, directions>;

/// Product of the four entries: the number of sites of a lattice with these extents.
constexpr std::ptrdiff_t volume_of(const Coordinates& extents) {
  std::ptrdiff_t volume = 1;
  for (const int extent : extents) volume *= extent;
  return volume;
}

/// Lexicographic index of `site`, x fastest and t slowest.
constexpr std::ptrdiff_t lexicographic_index(const Coordinates& site, const Coordinates& extents) {
  return ((static_cast<std::ptrdiff_t>(site[3]) * extents[2] + site[2]) * extents[1] + site[1]) * extents[0] + site[0];
}

/// Inverse of `lexicographic_index`.
constexpr Coordinates lexicographic_site(std::ptrdiff_t index, const Coordinates& extents) {
  Coordinates site{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    site[mu] = static_cast<int>(index % extents[mu]);
    index /= extents[mu];
  }
  return site;
}

/// "8x8x8x16", in the order x, y, z, t.
std::string to_string(const Coordinates& extents);

}  // namespace kaon
