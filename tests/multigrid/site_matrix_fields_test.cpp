// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/site_matrix_fields.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/lattice.hpp>

#include <gtest/gtest.h>

namespace kaon::test {
namespace KAON_TEST_FILE {

// More elements than one launch takes.
TEST(SiteMatrixFields, OfManySitesAreMadeInSeveralLaunches) {
  const Lattice coarse = Lattice({.extents = {16, 16, 16, 8}}).coarsened({2, 2, 2, 2});
  constexpr int n = 80;
  const SpinorParameters shape{.spins = 2, .colors = n / 2, .subset = Subset::odd, .right_hand_sides = n};
  SpinorField<float> units(coarse, shape), columns(coarse, shape);
  detail::set_units(units, 0);
  detail::subtract_hops(columns, units);  // 0 - 1 - G5 1^dag G5
  const double sites = 8 * 8 * 8 * 4 / 2;
  for (const double square : blas::norm2(units)) EXPECT_EQ(square, sites);
  for (const double square : blas::norm2(columns)) EXPECT_EQ(square, 4.0 * sites);
  blas::axpy(columns, units, 2.0);
  for (const double square : blas::norm2(columns)) EXPECT_EQ(square, 0.0);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
