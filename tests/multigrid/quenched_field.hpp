// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/random.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/operators/wilson.hpp>

namespace kaon::test {

/// The quenched field of the examples, beta = 6.0, 8^3 x 16.
inline GaugeField<double> quenched_links(Lanes lanes = Lanes::native) {
  return io::read_gauge<double>(Lattice({.extents = {8, 8, 8, 16}, .lanes = lanes}),
                                KAON_EXAMPLES "/quenched_b6.0_8x8x8x16.nersc");
}

inline WilsonCloverParameters at_kappa(double kappa) { return {.mass = mass_from_kappa(kappa), .csw = 1.769}; }

/// Two levels, quick to set up.
inline MultigridParameters two_levels(int vectors = 16) {
  return {.levels = {{.block = {4, 4, 4, 4}, .vectors = vectors, .bootstraps = 2}}};
}

template <class T>
SpinorField<T> noise(const LinearOperator<T>& matrix, int right_hand_sides) {
  SpinorField<T> field = matrix.make_field(right_hand_sides);
  set_gaussian(field, {.seed = 77});
  return field;
}

}  // namespace kaon::test
