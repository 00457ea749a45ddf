// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/reference/free_field.hpp"
#include "tests/reference/philox.hpp"
#include "tests/reference/propagator.hpp"
#include "tests/reference/schur.hpp"

// Properties of the reference implementation by itself. Comparisons with other codes: known_answers_test.cpp.
namespace kaon::reference {
namespace KAON_TEST_FILE {

// Rounding of sums of a few thousand terms of order 1.
constexpr double rounding = 1e-13;

constexpr Coordinates unequal_extents{4, 6, 2, 8};

// Every term of the operator at once, complex phases included.
WilsonParameters all_terms() {
  return {.mass = 0.2,
          .csw_spatial = 0.9,
          .csw_temporal = 1.3,
          .anisotropy = 2.4,
          .nu = 0.95,
          .boundary_phases = {std::polar(1.0, 0.3), -1.0, std::polar(1.0, -1.1), std::polar(1.0, 2.5)}};
}

struct RandomField {
  std::mt19937_64 generator{20240607};
  Coordinates extents = unequal_extents;
  Links links = random_links(extents, generator);
  Spinor psi = random_spinor(extents, generator);
  Spinor phi = random_spinor(extents, generator);
};

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

TEST(ReferenceGamma, SigmaIsHermitianAndCommutesWithGamma5) {
  for (int mu = 0; mu < directions; ++mu)
    for (int nu = 0; nu < directions; ++nu) {
      EXPECT_EQ(max_difference(sigma(mu, nu), dagger(sigma(mu, nu))), 0.0);
      EXPECT_EQ(max_difference(sigma(mu, nu) * gamma5(), gamma5() * sigma(mu, nu)), 0.0);
    }
}

TEST(ReferencePhilox, GivesRandom123sKnownAnswers) {
  for (const PhiloxKnownAnswer& known : philox_known_answers)
    EXPECT_EQ(philox4x32_10(known.counter, known.key), known.output);
}

TEST(ReferenceGauge, RandomLinksAreInSu3) {
  const RandomField field;
  for (std::size_t k = 0; k < field.links.size(); k += 9) {
    ColorMatrix u;
    std::copy_n(field.links.begin() + static_cast<std::ptrdiff_t>(k), u.size(), u.begin());
    ASSERT_LT(distance_from_su3(u), rounding);
  }
}

TEST(ReferenceGauge, UnitLinksHavePlaquetteOneAndNoFieldStrength) {
  const Links links = unit_links(unequal_extents);
  EXPECT_DOUBLE_EQ(plaquette(links, unequal_extents), 1.0);
  EXPECT_DOUBLE_EQ(link_trace(links), 1.0);
  for (const Complex& element : field_strength(links, {1, 2, 1, 3}, 0, 3, unequal_extents))
    EXPECT_LT(std::abs(element), rounding);
}

TEST(ReferenceGauge, PlaquetteIsGaugeInvariant) {
  RandomField field;
  const GaugeTransformation g = random_gauge_transformation(field.extents, field.generator);
  EXPECT_NEAR(plaquette(transform_links(field.links, g, field.extents), field.extents),
              plaquette(field.links, field.extents), rounding);
}

TEST(ReferenceGauge, FieldStrengthIsHermitianAndAntisymmetric) {
  const RandomField field;
  for (int mu = 0; mu < directions; ++mu)
    for (int nu = 0; nu < directions; ++nu) {
      if (mu == nu) continue;
      const ColorMatrix f = field_strength(field.links, {3, 5, 1, 0}, mu, nu, field.extents);
      const ColorMatrix reversed = field_strength(field.links, {3, 5, 1, 0}, nu, mu, field.extents);
      for (std::size_t k = 0; k < f.size(); ++k) {
        EXPECT_LT(std::abs(f[k] - dagger(f)[k]), rounding);
        EXPECT_LT(std::abs(f[k] + reversed[k]), rounding);
      }
    }
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
  const double expected = std::sin(flux);
  for_each_site(extents, [&](const Coordinates& x) {
    const ColorMatrix f = field_strength(links, x, 0, 1, extents);
    EXPECT_LT(std::abs(f[0] - expected), rounding);
    EXPECT_LT(std::abs(f[4] + expected), rounding);
    EXPECT_LT(std::abs(f[8]), rounding);
  });
}

TEST(ReferenceWilson, IsGamma5Hermitian) {
  const RandomField field;
  const WilsonOperator op(field.links, field.extents, all_terms());
  const Spinor rotated = multiply(gamma5(), op.apply(multiply(gamma5(), field.psi)));
  EXPECT_LT(relative_difference(rotated, op.apply_dagger(field.psi)), rounding);
}

TEST(ReferenceWilson, TwistedMassChangesSignUnderGamma5Hermiticity) {
  const RandomField field;
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.4;
  const WilsonOperator up(field.links, field.extents, parameters);
  parameters.twisted_mass = -0.4;
  const WilsonOperator down(field.links, field.extents, parameters);
  const Spinor rotated = multiply(gamma5(), down.apply(multiply(gamma5(), field.psi)));
  EXPECT_LT(relative_difference(rotated, up.apply_dagger(field.psi)), rounding);
}

TEST(ReferenceWilson, DaggerIsTheAdjoint) {
  const RandomField field;
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.4;
  const WilsonOperator op(field.links, field.extents, parameters);
  const Complex left = dot(field.phi, op.apply(field.psi));
  const Complex right = dot(op.apply_dagger(field.phi), field.psi);
  EXPECT_LT(std::abs(left - right), rounding * std::sqrt(norm2(field.phi) * norm2(field.psi)));
}

TEST(ReferenceWilson, IsGaugeCovariant) {
  RandomField field;
  const GaugeTransformation g = random_gauge_transformation(field.extents, field.generator);
  const WilsonOperator op(field.links, field.extents, all_terms());
  const WilsonOperator transformed(transform_links(field.links, g, field.extents), field.extents, all_terms());
  EXPECT_LT(relative_difference(transformed.apply(transform_spinor(field.psi, g, field.extents)),
                                transform_spinor(op.apply(field.psi), g, field.extents)),
            rounding);
}

TEST(ReferenceWilson, BoundaryPhasesAreGaugeEquivalentToPhasesSpreadOverAllLinks) {
  const RandomField field;
  const double theta = 0.7;
  WilsonParameters parameters = all_terms();
  parameters.boundary_phases = {1.0, std::polar(1.0, theta), 1.0, 1.0};
  const WilsonOperator at_the_edge(field.links, field.extents, parameters);
  parameters.boundary_phases = {1.0, 1.0, 1.0, 1.0};
  Links spread = field.links;
  Spinor psi = field.psi;
  for_each_site(field.extents, [&](const Coordinates& x) {
    for (std::size_t k = 0; k < 9; ++k)
      spread[link_offset(x, 1, field.extents) + k] *= std::polar(1.0, theta / field.extents[1]);
    for (std::size_t k = 0; k < site_components; ++k)
      psi[spinor_offset(x, field.extents) + k] *= std::polar(1.0, -theta * x[1] / field.extents[1]);
  });
  const WilsonOperator everywhere(spread, field.extents, parameters);
  Spinor expected = at_the_edge.apply(field.psi);
  for_each_site(field.extents, [&](const Coordinates& x) {
    for (std::size_t k = 0; k < site_components; ++k)
      expected[spinor_offset(x, field.extents) + k] *= std::polar(1.0, -theta * x[1] / field.extents[1]);
  });
  EXPECT_LT(relative_difference(everywhere.apply(psi), expected), rounding);
}

TEST(ReferenceWilson, HopConnectsOppositeParities) {
  const RandomField field;
  const WilsonOperator op(field.links, field.extents, all_terms());
  for (const int parity : {0, 1}) {
    const Spinor psi = restrict_to_parity(field.psi, parity, field.extents);
    EXPECT_EQ(norm2(op.hop_to_parity(psi, parity)), 0.0);
    EXPECT_LT(relative_difference(op.hop(psi), op.hop_to_parity(field.psi, 1 - parity)), rounding);
  }
}

TEST(ReferenceWilson, CloverTermIsHermitianAndKeepsChirality) {
  const RandomField field;
  const WilsonOperator op(field.links, field.extents, all_terms());
  const SiteMatrix a = op.clover_term({2, 3, 1, 7});
  const SiteMatrix a_dagger = dagger(a);
  for (std::size_t row = 0; row < site_components; ++row)
    for (std::size_t column = 0; column < site_components; ++column) {
      const std::size_t k = site_components * row + column;
      EXPECT_LT(std::abs(a[k] - a_dagger[k]), rounding);
      if ((row < 6) != (column < 6)) {
        EXPECT_EQ(a[k], 0.0);
      }
    }
}

class ReferenceSchur : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OnParity, ReferenceSchur, ::testing::Values(0, 1));

// x solves M x = b for a known x, so its part on one parity must solve both even-odd systems and return the rest.
TEST_P(ReferenceSchur, SystemsHaveTheFullSolution) {
  const RandomField field;
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.4;
  const WilsonOperator op(field.links, field.extents, parameters);
  const Spinor& x = field.psi;
  const Spinor b = op.apply(x);
  const int parity = GetParam();
  EXPECT_LT(relative_difference(schur_asymmetric(op, x, parity), schur_asymmetric_source(op, b, parity)), rounding);
  EXPECT_LT(relative_difference(schur_symmetric(op, x, parity), schur_symmetric_source(op, b, parity)), rounding);
  EXPECT_LT(relative_difference(schur_reconstruct(op, restrict_to_parity(x, parity, field.extents), b, parity), x),
            rounding);
}

TEST_P(ReferenceSchur, DaggersAreTheAdjoints) {
  const RandomField field;
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.4;
  const WilsonOperator op(field.links, field.extents, parameters);
  const int parity = GetParam();
  const Spinor psi = restrict_to_parity(field.psi, parity, field.extents);
  const Spinor phi = restrict_to_parity(field.phi, parity, field.extents);
  const double scale = std::sqrt(norm2(psi) * norm2(phi));
  EXPECT_LT(std::abs(dot(phi, schur_asymmetric(op, psi, parity)) - dot(schur_asymmetric_dagger(op, phi, parity), psi)),
            rounding * scale);
  EXPECT_LT(std::abs(dot(phi, schur_symmetric(op, psi, parity)) - dot(schur_symmetric_dagger(op, phi, parity), psi)),
            rounding * scale);
}

TEST(ReferenceFreeField, PlaneWavesAreMultipliedByTheMomentumSpaceOperator) {
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.4;
  const WilsonOperator op(unit_links(unequal_extents), unequal_extents, parameters);
  const std::array<double, directions> p = momentum({1, 4, 1, 3}, unequal_extents, parameters);
  std::mt19937_64 generator(1);
  const SiteVector v = at(random_spinor({1, 1, 1, 1}, generator), {0, 0, 0, 0}, {1, 1, 1, 1});
  const Spinor expected = plane_wave(p, multiply(free_operator(p, parameters), v), unequal_extents);
  EXPECT_LT(relative_difference(op.apply(plane_wave(p, v, unequal_extents)), expected), rounding);
}

TEST(ReferenceFreeField, ClosedFormPropagatorInvertsTheOperator) {
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.4;
  const WilsonOperator op(unit_links(unequal_extents), unequal_extents, parameters);
  const Coordinates source{1, 5, 0, 6};
  for (int spin = 0; spin < spins; ++spin) {
    const Spinor column = free_point_propagator(source, spin, 1, unequal_extents, parameters);
    EXPECT_LT(relative_difference(op.apply(column), point_source(source, spin, 1, unequal_extents)), rounding);
  }
}

TEST(ReferenceSolve, ConjugateGradientsFindTheSolution) {
  RandomField field;
  const WilsonOperator op(random_links_near_one(field.extents, field.generator, 0.2), field.extents, all_terms());
  const Solution solution = solve_cgne(op, op.apply(field.psi), 1e-13);
  EXPECT_LT(solution.relative_residual, 1e-12);
  EXPECT_LT(relative_difference(solution.x, field.psi), 1e-11);
}

TEST(ReferenceSmearing, IsGaugeCovariant) {
  RandomField field;
  const GaugeTransformation g = random_gauge_transformation(field.extents, field.generator);
  const Links transformed = transform_links(field.links, g, field.extents);
  EXPECT_LT(relative_difference(
                gaussian_smear(transform_spinor(field.psi, g, field.extents), transformed, 2.0, 5, field.extents),
                transform_spinor(gaussian_smear(field.psi, field.links, 2.0, 5, field.extents), g, field.extents)),
            rounding);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
