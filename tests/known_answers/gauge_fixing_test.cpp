// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/data.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/gauge.hpp>

#include <gtest/gtest.h>

namespace kaon::test {
namespace KAON_TEST_FILE {

// MILC's sample outputs of ks_spectrum_hisq on this field: "GFIX: Ended at step 85. Av gf action 8.77263803e-01, delta
// 1.980e-06". MILC ends where an iteration gains less than 2e-6: the remaining gain is some times that.
TEST(GaugeFixing, OfMilcsSampleLatticeReachesMilcsMaximum) {
  KAON_TEST_DATA_FILE(file, "milc/lat.sample.l8888");
  constexpr double milcs = 8.77263803e-01, left_to_gain = 5e-5;
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  for (const double relaxation : {1.5, 1.8}) {
    GaugeField<double> links = io::read_gauge<double>(lattice, file);
    reunitarize(links);
    const GaugeFixingResult result =
        fix_gauge(links, {.condition = GaugeCondition::coulomb, .tolerance = 1e-18, .relaxation = relaxation});
    EXPECT_TRUE(result.converged);
    EXPECT_GT(result.quality.functional, milcs);
    EXPECT_LT(result.quality.functional, milcs + left_to_gain);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
