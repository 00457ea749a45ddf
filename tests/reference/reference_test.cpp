// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/reference/gamma.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/lanczos.hpp"
#include "tests/reference/staggered.hpp"
#include "tests/support/largest_difference.hpp"

// Conventions of the reference implementation. Tests of kaon's own operators prove their identities and reproduce the
// numbers of other codes (tests/known_answers).
namespace kaon::reference {
namespace KAON_TEST_FILE {

TEST(ReferenceGamma, MatricesAnticommuteAndAreHermitian) {
  for (int mu = 0; mu < directions; ++mu) {
    EXPECT_EQ(max_difference(gamma(mu), dagger(gamma(mu))), 0.0);
    for (int nu = 0; nu < directions; ++nu)
      EXPECT_EQ(max_difference(gamma(mu) * gamma(nu) + gamma(nu) * gamma(mu),
                               Complex(mu == nu ? 2.0 : 0.0) * identity_spin_matrix()),
                0.0);
  }
}

TEST(ReferenceGamma, Gamma5IsPlusOneOnTheFirstTwoSpins) {
  SpinMatrix expected{};
  for (std::size_t spin = 0; spin < spins; ++spin) expected[spin][spin] = spin < 2 ? 1.0 : -1.0;
  EXPECT_EQ(max_difference(gamma5(), expected), 0.0);
}

// exp(i phi) in a diagonal generator with a constant field phi in one plane: F = phi T + O(phi^3), with this sign.
TEST(ReferenceGauge, FieldStrengthOfAConstantAbelianFieldIsTheField) {
  const Coordinates extents{8, 8, 2, 2};
  const double flux = 2.0 * 3.14159265358979323846 / 64.0;
  Links links = unit_links(extents);
  for_each_site(extents, [&](const Coordinates& x) {
    // A_y = flux x, so that F_xy = d_x A_y - d_y A_x = flux, and a jump at the edge in x that makes F constant.
    const auto set = [&](int mu, double angle) {
      links[link_offset(x, mu, extents)] = std::polar(1.0, angle);
      links[link_offset(x, mu, extents) + 4] = std::polar(1.0, -angle);
    };
    set(1, flux * x[0]);
    if (x[0] == extents[0] - 1) set(0, -flux * extents[0] * x[1]);
  });
  constexpr double rounding = 1e-13;
  const double expected = std::sin(flux);
  for_each_site(extents, [&](const Coordinates& x) {
    const ColorMatrix f = field_strength(links, x, 0, 1, extents);
    EXPECT_LT(std::abs(f[0] - expected), rounding);
    EXPECT_LT(std::abs(f[4] + expected), rounding);
    EXPECT_LT(std::abs(f[8]), rounding);
  });
}

TEST(ReferenceStaggered, PhasesAreThoseOfMilc) {
  // eta_x depends on t, eta_y on t and x, eta_z on t, x and y; those of the four directions anticommute.
  EXPECT_EQ(staggered_phase({1, 1, 1, 1}, 0), -1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 0}, 0), 1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 0}, 1), -1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 1}, 1), 1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 0}, 2), 1);
  EXPECT_EQ(staggered_phase({1, 1, 1, 1}, 2), -1);
  for_each_site({4, 2, 2, 2}, [](const Coordinates& x) { EXPECT_EQ(staggered_phase(x, 3), 1); });
}

// The product of the four phases and of eta_nu one step ahead is -1 around every plaquette.
TEST(ReferenceStaggered, PhasesHavePlaquetteMinusOne) {
  const Coordinates extents{4, 4, 4, 4};
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu)
      for (int nu = 0; nu < mu; ++nu)
        EXPECT_EQ(staggered_phase(x, mu) * staggered_phase(neighbor(x, mu, 1, extents), nu) *
                      staggered_phase(neighbor(x, nu, 1, extents), mu) * staggered_phase(x, nu),
                  -1);
  });
}

// -D^2 = 4 sum_mu sin^2 p_mu, on 4^4 with antiperiodic time between 4 sin^2(pi/4) and 12 + 4 sin^2(pi/4).
TEST(ReferenceStaggered, FreeExtremalEigenvaluesAreThoseOfTheSines) {
  const Coordinates extents{4, 4, 4, 4};
  const StaggeredOperator op(unit_links(extents), extents, {});
  std::mt19937_64 generator(1);
  const ColorField start = restrict_to_parity(random_color_field(extents, generator), 0, extents);
  const auto found =
      extremal_eigenvalues([&](const ColorField& chi) { return staggered_normal(op, chi, 0); }, start, 20);
  EXPECT_NEAR(found.smallest, 2.0, 1e-12);
  EXPECT_NEAR(found.largest, 14.0, 1e-12);
}

// Comparisons of tests see numbers that are none, which std::max(largest, NaN) leaves out.
TEST(Differences, AreInfiniteWhereANumberIsNone) {
  const double nan = std::nan("");
  EXPECT_TRUE(std::isinf(test::largest_difference({nan, 1.0}, {1.0, 1.0})));
  EXPECT_TRUE(std::isinf(test::largest_difference({1.0, 1.0}, {1.0, nan})));
  EXPECT_TRUE(std::isinf(test::largest_difference({1.0}, {1.0, 1.0})));
  EXPECT_EQ(test::largest_difference({1.0, 3.0}, {1.0, 1.0}), 2.0);
  SpinMatrix broken = identity_spin_matrix();
  broken[1][2] = nan;
  EXPECT_TRUE(std::isinf(max_difference(broken, identity_spin_matrix())));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
