// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/average_plaquette.hpp"

#include <gtest/gtest.h>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Within three standard errors of a value known to `known_error`.
void expect_plaquette(const Average& measured, double known, double known_error) {
  EXPECT_NEAR(measured.mean, known, 3.0 * std::hypot(measured.error, known_error))
      << "standard error " << measured.error;
  EXPECT_LT(measured.error, 4e-4);
}

// At beta = 6.0 a lattice of 8^4 lies 0.0005 above the value of large ones, so a larger one is used.
TEST(QuenchedPlaquette, AtBeta60) { expect_plaquette(average_plaquette({12, 12, 12, 12}, 6.0, 60, 200), 0.5937, 5e-5); }

TEST(QuenchedPlaquette, AtBeta57) { expect_plaquette(average_plaquette({8, 8, 8, 8}, 5.7, 100, 1000), 0.5492, 5e-5); }

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
