// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/initial_links.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace kaon::test {

/// Lattices on which gauge code is compared with the slow reference: cubic, unequal with an extent of 2, and one that
/// takes the native lanes of every precision; each also with W = 1.
inline std::vector<Lattice> test_lattices() {
  std::vector<Lattice> lattices;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 4}, Coordinates{4, 6, 2, 8}, Coordinates{8, 4, 4, 8}}) {
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      lattices.emplace_back(LatticeParameters{.extents = extents, .lanes = lanes});
    }
  }
  return lattices;
}

/// Rounding of a few hundred operations on numbers of order 1 that are stored as T.
template <class T>
inline constexpr double tolerance = 100.0 * std::numeric_limits<T>::epsilon();

/// Whether all links are in SU(3) to rounding.
template <class T>
void expect_su3(const GaugeField<T>& links) {
  const UnitarityDeviation found = deviation_from_su3(links);
  EXPECT_LT(found.unitarity.deviation, tolerance<T>);
  EXPECT_LT(found.determinant.deviation, tolerance<T>);
}

/// Random links in native lanes, and in one lane.
template <class T>
std::array<GaugeField<T>, 2> random_in_all_lanes() {
  const auto in = [](Lanes lanes) { return hot_links<T>(Lattice({.extents = {8, 4, 4, 8}, .lanes = lanes}), 4); };
  return {in(Lanes::native), in(Lanes::single)};
}

using Precisions = ::testing::Types<double, float>;

}  // namespace kaon::test
