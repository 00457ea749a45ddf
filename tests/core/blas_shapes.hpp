// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <vector>

namespace kaon::test {

/// Fields to try vector operations on: more right-hand sides than one launch takes, on lanes, on W = 1, on one parity,
/// with 3 components, and on coarse lattices, where lanes are components: 16, 48, 64 and, which are no whole registers,
/// 12, with two parities and with one.
struct Shape {
  Coordinates extents;
  Lanes lanes;
  SpinorParameters parameters;
  Coordinates block{};  ///< of the aggregates; zeros: none

  Lattice lattice() const {
    const Lattice fine({.extents = extents, .lanes = lanes});
    return block == Coordinates{} ? fine : fine.coarsened(block);
  }
};

inline std::vector<Shape> shapes() {
  return {{{8, 4, 4, 8}, Lanes::native, {.right_hand_sides = 2}},
          {{4, 6, 2, 8}, Lanes::native, {.right_hand_sides = 19}},
          {{4, 4, 4, 4}, Lanes::single, {.subset = Subset::odd, .right_hand_sides = 3}},
          {{8, 8, 8, 8}, Lanes::native, {.spins = 1, .colors = 3, .subset = Subset::even}},
          {{4, 6, 2, 8}, Lanes::native, {.spins = 2, .colors = 8, .right_hand_sides = 19}, {2, 3, 1, 4}},
          {{4, 4, 4, 8}, Lanes::native, {.spins = 2, .colors = 24, .subset = Subset::odd}, {2, 2, 2, 2}},
          {{6, 6, 2, 4}, Lanes::native, {.spins = 2, .colors = 32, .right_hand_sides = 2}, {2, 2, 2, 2}},
          {{6, 6, 6, 12}, Lanes::single, {.spins = 2, .colors = 6, .subset = Subset::even}, {2, 2, 2, 2}}};
}

template <class T>
SpinorField<T> noise(const Shape& shape, std::uint32_t stream) {
  SpinorField<T> field(shape.lattice(), shape.parameters);
  set_gaussian(field, {.seed = 3, .stream = stream});
  return field;
}

}  // namespace kaon::test
