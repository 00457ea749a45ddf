// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <vector>

namespace kaon::test {

/// Fields to try vector operations on: more right-hand sides than one launch takes, on lanes, on W = 1, on one parity,
/// and with 3 components.
struct Shape {
  Coordinates extents;
  Lanes lanes;
  SpinorParameters parameters;
};

inline std::vector<Shape> shapes() {
  return {{{8, 4, 4, 8}, Lanes::native, {.right_hand_sides = 2}},
          {{4, 6, 2, 8}, Lanes::native, {.right_hand_sides = 19}},
          {{4, 4, 4, 4}, Lanes::single, {.subset = Subset::odd, .right_hand_sides = 3}},
          {{8, 8, 8, 8}, Lanes::native, {.spins = 1, .colors = 3, .subset = Subset::even}}};
}

template <class T>
SpinorField<T> noise(const Shape& shape, std::uint32_t stream) {
  SpinorField<T> field(Lattice({.extents = shape.extents, .lanes = shape.lanes}), shape.parameters);
  set_gaussian(field, {.seed = 3, .stream = stream});
  return field;
}

}  // namespace kaon::test
