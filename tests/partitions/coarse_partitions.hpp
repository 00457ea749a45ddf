// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/partitions/partitions.hpp"

#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <string>
#include <vector>

// Partitioned lattices that have aggregates, and coarse lattices.
namespace kaon::test {

/// A field of normal numbers.
template <class T>
SpinorField<T> noise(const Lattice& lattice, SpinorParameters shape, int right_hand_sides) {
  shape.right_hand_sides = right_hand_sides;
  SpinorField<T> field(lattice, shape);
  set_gaussian(field, {.seed = 21});
  return field;
}

/// Whether blocks cut the local lattice, in partitioned directions to an even number of aggregates.
inline bool has_aggregates(const Lattice& parts, const Coordinates& block) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int local = parts.local_extents()[mu];
    if (local % block[mu] != 0 || (parts.is_partitioned(mu) && local / block[mu] % 2 != 0)) return false;
  }
  return true;
}

/// Coarse lattices in parts and whole, with extents 1, 2 and odd; on one process forced partitions of no direction, of
/// each and of all that can be cut.
inline std::vector<Partition> coarse_partitions(const Coordinates& extents) {
  std::vector<Partition> found;
  const Communicator& all = processes();
  const int size = all.size();
  const auto fits = [&](const LatticeParameters& parameters) {
    int count = 1;
    bool even = true;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int grid = parameters.process_grid[mu];
      count *= grid;
      const bool cut = grid > 1 || parameters.partition[mu];
      even = even && extents[mu] % grid == 0 && (!cut || extents[mu] / grid % 2 == 0);
    }
    return even && count == size;
  };
  int all_directions = 0;
  for (int mu = 0; mu < 4; ++mu) all_directions |= extents[mu] % 2 == 0 ? 1 << mu : 0;
  for (int k = 0; k < size * size * size * size; ++k) {
    const Coordinates grid{1 + k % size, 1 + k / size % size, 1 + k / size / size % size, 1 + k / size / size / size};
    for (int mask = 0; mask < (size == 1 ? 16 : 1); ++mask) {
      if ((mask & (mask - 1)) != 0 && mask != all_directions) continue;
      LatticeParameters parameters{.extents = extents,
                                   .process_grid = grid,
                                   .partition = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0},
                                   .lanes = Lanes::components};
      if (!fits(parameters)) continue;
      std::string name = to_string(extents) + " on " + to_string(grid) + ", mask " + std::to_string(mask);
      found.push_back(
          {Lattice(all, parameters), Lattice({.extents = extents, .lanes = Lanes::components}), std::move(name)});
    }
  }
  return found;
}

}  // namespace kaon::test
