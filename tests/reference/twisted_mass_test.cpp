// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/reference/propagator.hpp"

// Properties of the slow operator with a twisted mass, M(mu) = M(0) + i mu gamma_5, with and without clover term.
// The correlators of another code: known_answers_test.cpp.
namespace kaon::reference {
namespace KAON_TEST_FILE {

constexpr double rounding = 1e-13;

class ReferenceTwistedMass : public ::testing::TestWithParam<double> {
 protected:
  WilsonOperator with_twist(double twisted_mass) const {
    return WilsonOperator(links_, extents_,
                          {.mass = -0.2,
                           .csw_spatial = GetParam(),
                           .csw_temporal = 1.2 * GetParam(),
                           .anisotropy = 2.4,
                           .nu = 0.95,
                           .twisted_mass = twisted_mass,
                           .boundary_phases = {std::polar(1.0, 0.3), -1.0, std::polar(1.0, -1.1), -1.0}});
  }

  std::mt19937_64 generator_{20240607};
  Coordinates extents_{4, 6, 2, 8};
  Links links_ = random_links(extents_, generator_);
  Spinor psi_ = random_spinor(extents_, generator_);
};
INSTANTIATE_TEST_SUITE_P(WithCsw, ReferenceTwistedMass, ::testing::Values(0.0, 0.9));

TEST_P(ReferenceTwistedMass, AddsITimesMuTimesGamma5) {
  const Spinor difference = add(with_twist(0.7).apply(psi_), -1.0, with_twist(0.0).apply(psi_));
  const Spinor expected = multiply(Complex(0.0, 0.7) * gamma5(), psi_);
  EXPECT_LT(relative_difference(difference, expected), rounding);
}

TEST_P(ReferenceTwistedMass, ChangesSignUnderGamma5Hermiticity) {
  const Spinor rotated = multiply(gamma5(), with_twist(0.7).apply(multiply(gamma5(), psi_)));
  EXPECT_LT(relative_difference(rotated, with_twist(-0.7).apply_dagger(psi_)), rounding);
}

// M^dag M = (gamma_5 M(0))^2 + mu^2: the twist bounds the normal operator away from zero.
TEST_P(ReferenceTwistedMass, AddsItsSquareToTheNormalOperator) {
  const WilsonOperator twisted = with_twist(0.7);
  const WilsonOperator untwisted = with_twist(0.0);
  const auto hermitian = [&](const Spinor& psi) { return multiply(gamma5(), untwisted.apply(psi)); };
  EXPECT_LT(
      relative_difference(twisted.apply_dagger(twisted.apply(psi_)), add(hermitian(hermitian(psi_)), 0.7 * 0.7, psi_)),
      rounding);
}

// The square holds in either order: M is normal up to gamma_5, M M^dag = (M(0) gamma_5)^2 + mu^2.
TEST_P(ReferenceTwistedMass, AddsItsSquareToTheOtherNormalOperator) {
  const WilsonOperator twisted = with_twist(0.7);
  const WilsonOperator untwisted = with_twist(0.0);
  const auto hermitian = [&](const Spinor& psi) { return untwisted.apply(multiply(gamma5(), psi)); };
  EXPECT_LT(
      relative_difference(twisted.apply(twisted.apply_dagger(psi_)), add(hermitian(hermitian(psi_)), 0.7 * 0.7, psi_)),
      rounding);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
