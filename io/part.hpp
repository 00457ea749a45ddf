// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kaon::io {

/// The box of sites of a lattice that this process reads and writes, and who has those beyond its faces.
struct Part {
  Communicator communicator{};
  Coordinates extents{};  ///< of the whole lattice
  Coordinates local_extents{};
  Coordinates origin{};                  ///< global coordinates of the first site
  std::array<int, directions> ahead{};   ///< ranks of the neighbours in directions +x, +y, +z, +t
  std::array<int, directions> behind{};  ///< and -x, -y, -z, -t

  /// Do other processes hold sites in direction mu?
  bool is_cut(std::size_t mu) const { return local_extents[mu] != extents[mu]; }
  bool holds(const Coordinates& site) const;
  /// Lexicographic index within the part of a site that it holds, given by its global coordinates.
  std::ptrdiff_t local_index(const Coordinates& site) const;
  /// Lexicographic index within the whole lattice of a site given by its index within the part.
  std::ptrdiff_t global_index(std::ptrdiff_t local_site) const;
};

/// All of a lattice, for this process alone.
Part whole_part(const Coordinates& extents);

/// The sites of the lattice that this process holds.
Part part_of(const Lattice& lattice);

/// The values on this process' sites, of host data that hold either these sites or those of the whole lattice, some
/// values a site. Throws `Error` where they hold neither.
std::vector<std::complex<double>> own_values(const Lattice& lattice, const Coordinates& extents,
                                             std::span<const std::complex<double>> values);

/// Whether all extents are at least 1 and a lattice can have so many sites, which are at most 2^40.
bool has_possible_volume(const Coordinates& extents);

/// Consecutive items (sites) of a file.
struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Calls visit(Run) for the items of a box, in order: rows joined as far as they are consecutive in the file, cut where
/// they are longer than `longest`. The four directions are given in the order of the file, fastest first.
template <class Visit>
void for_each_run(const Coordinates& extents, const Coordinates& origin, const Coordinates& box, std::uint64_t longest,
                  Visit&& visit) {
  if (volume_of(box) == 0) return;
  // Directions that the box has in full are joined to one row with the next direction.
  std::size_t joined = 1;
  while (joined < 4 && box[joined - 1] == extents[joined - 1]) ++joined;
  std::uint64_t length = 1;
  Coordinates rows = box;
  for (std::size_t k = 0; k < joined; ++k) {
    length *= static_cast<std::uint64_t>(box[k]);
    rows[k] = 1;
  }
  for (std::ptrdiff_t row = 0; row < volume_of(rows); ++row) {
    Coordinates start = lexicographic_site(row, rows);
    for (std::size_t k = 0; k < 4; ++k) start[k] += origin[k];
    const auto first = static_cast<std::uint64_t>(lexicographic_index(start, extents));
    for (std::uint64_t done = 0; done < length; done += longest) {
      visit(Run{.first = first + done, .count = std::min(longest, length - done)});
    }
  }
}

/// Moves items that are the sites of a part, x fastest.
template <class Visit>
void for_each_run(const Part& part, std::uint64_t longest, Visit&& visit) {
  for_each_run(part.extents, part.origin, part.local_extents, longest, visit);
}

}  // namespace kaon::io
