// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"
#include "tests/reference/propagator.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/correlator.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace kaon {
namespace KAON_TEST_FILE {

template <class T>
class PionCorrelator : public ::testing::Test {};
TYPED_TEST_SUITE(PionCorrelator, test::Precisions);

TYPED_TEST(PionCorrelator, EqualsReferenceInEveryDirection) {
  const Coordinates source{3, 1, 0, 2};
  for (const Lattice& lattice : test::test_lattices()) {
    const SpinorField<TypeParam> propagator = test::random_spinors<TypeParam>(lattice, 12, 1);
    const reference::Propagator host = test::to_host(propagator);
    for (int mu = 0; mu < 4; ++mu) {
      const int origin = source[static_cast<std::size_t>(mu)];
      const std::vector<double> expected = reference::correlator(host, mu, origin, lattice.extents());
      const std::vector<double> actual = pion_correlator(propagator, {.source_site = source, .direction = mu});
      ASSERT_EQ(actual.size(), expected.size());
      for (std::size_t d = 0; d < actual.size(); ++d) {
        EXPECT_NEAR(actual[d] / expected[d], 1.0, test::tolerance<double>);
      }
    }
  }
}

TYPED_TEST(PionCorrelator, WithAMomentumEqualsReference) {
  const Coordinates source{3, 1, 0, 2};
  for (const Lattice& lattice : test::test_lattices()) {
    const SpinorField<TypeParam> psi = test::random_spinors<TypeParam>(lattice, 2, 1);
    const SpinorField<TypeParam> phi = test::random_spinors<TypeParam>(lattice, 2, 2);
    for (const auto& [mode, kind] : {std::pair<Coordinates, Coordinates>{{0, 0, 0, 0}, {0, 0, 0, 0}},
                                     {{1, -2, 0, 0}, {0, 0, 0, 0}},
                                     {{1, 2, 1, 0}, {1, 2, 0, 1}},
                                     {{-1, 0, 7, 3}, {2, 1, 0, 2}}}) {
      MomentumParameters parameters{.mode = mode, .source_site = source};
      for (std::size_t mu = 0; mu < 4; ++mu) parameters.factors[mu] = static_cast<FourierFactor>(kind[mu]);
      const auto found = momentum_products(psi, phi, parameters);
      ASSERT_EQ(found.size(), static_cast<std::size_t>(lattice.extents()[3]));
      std::vector<std::complex<double>> expected(found.size());
      for (int rhs = 0; rhs < 2; ++rhs) {
        const auto one =
            reference::momentum_products(psi.to_host(rhs), phi.to_host(rhs), mode, kind, source, lattice.extents());
        for (std::size_t t = 0; t < one.size(); ++t) expected[t] += one[t];
      }
      for (std::size_t t = 0; t < found.size(); ++t) EXPECT_LT(std::abs(found[t] - expected[t]), 1e-11) << t;
    }
  }
}

// Its real part without a momentum is that of the pion, from the source on.
TYPED_TEST(PionCorrelator, IsOneOfProductsWithoutAMomentum) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto propagator = test::random_spinors<TypeParam>(lattice, 12, 1);
  const auto products = momentum_products(propagator, propagator, {});
  const std::vector<double> pion = pion_correlator(propagator, {.source_site = {0, 0, 0, 3}});
  for (std::size_t d = 0; d < 8; ++d) {
    EXPECT_NEAR(products[(d + 3) % 8].real() / pion[d], 1.0, test::tolerance<double>);
    EXPECT_NEAR(products[d].imag(), 0.0, 1e-10);
  }
  SpinorField<TypeParam> other(lattice);
  KAON_EXPECT_ERROR((void)momentum_products(propagator, other, {}), "on one lattice and of one shape");
  KAON_EXPECT_ERROR((void)momentum_products(other, other, {.source_site = {0, 4, 0, 0}}),
                    "source y = 4: the lattice has 0 to 3");
  KAON_EXPECT_ERROR((void)momentum_products(other.parity(Parity::odd), other.parity(Parity::odd), {}),
                    "need fields on both parities");
}

TYPED_TEST(PionCorrelator, HasTheSameDigitsInAllLanes) {
  const Coordinates extents{8, 4, 4, 8};
  const auto native = test::random_spinors<TypeParam>(Lattice({.extents = extents}), 12, 1);
  const auto single = test::random_spinors<TypeParam>(Lattice({.extents = extents, .lanes = Lanes::single}), 12, 1);
  EXPECT_EQ(pion_correlator(native), pion_correlator(single));
  EXPECT_EQ(pion_correlator(native), pion_correlator(native));
}

// Sums of squares of S + S' are those of S, of S', and twice those of both.
TYPED_TEST(PionCorrelator, OfTwoPropagatorsIsTheirProduct) {
  for (const Lattice& lattice : test::test_lattices()) {
    const SpinorField<TypeParam> a = test::random_spinors<TypeParam>(lattice, 12, 1);
    const SpinorField<TypeParam> b = test::random_spinors<TypeParam>(lattice, 12, 2);
    SpinorField<TypeParam> sum = test::random_spinors<TypeParam>(lattice, 12, 1);
    blas::axpy(sum, b, blas::Reals(12, 1.0));
    const CorrelatorParameters parameters{.source_site = {0, 0, 0, 2}};
    const std::vector<double> of_a = pion_correlator(a, parameters), of_b = pion_correlator(b, parameters);
    const std::vector<double> of_sum = pion_correlator(sum, parameters), product = pion_correlator(a, b, parameters);
    for (std::size_t t = 0; t < product.size(); ++t) {
      EXPECT_NEAR(product[t], 0.5 * (of_sum[t] - of_a[t] - of_b[t]), test::tolerance<TypeParam> * of_sum[t]);
    }
    EXPECT_EQ(pion_correlator(a, a, parameters), of_a);
    EXPECT_EQ(pion_correlator(b, a, parameters), product);
  }
  const SpinorField<TypeParam> here(Lattice({.extents = {4, 6, 2, 8}}), test::propagator_shape);
  const SpinorField<TypeParam> there(Lattice({.extents = {4, 4, 4, 4}}), test::propagator_shape);
  KAON_EXPECT_ERROR(pion_correlator(here, there), "on one lattice and of one shape");
}

TYPED_TEST(PionCorrelator, RefusesWhatIsNoPropagator) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const SpinorField<TypeParam> few(lattice, {.right_hand_sides = 3});
  KAON_EXPECT_ERROR(pion_correlator(few), "both parities and 12 right-hand sides, one a component, not both and 3");
  const SpinorField<TypeParam> propagator(lattice, test::propagator_shape);
  const SpinorField<TypeParam> odd = propagator.parity(Parity::odd);
  KAON_EXPECT_ERROR(pion_correlator(odd), "one a component, not one and 12");
  KAON_EXPECT_ERROR(pion_correlator(propagator, {.direction = 4}), "correlator direction 4 is none of 0, 1, 2, 3");
  KAON_EXPECT_ERROR(pion_correlator(propagator, {.source_site = {0, 0, 2, 0}, .direction = 2}),
                    "correlator source z = 2: the lattice has 0 to 1");
}

std::vector<double> cosh_correlator(std::size_t length, double mass) {
  std::vector<double> correlator;
  for (std::size_t t = 0; t < length; ++t) {
    correlator.push_back(0.3 * std::cosh(mass * (static_cast<double>(t) - 0.5 * static_cast<double>(length))));
  }
  return correlator;
}

TEST(EffectiveMass, OfACoshIsItsMass) {
  for (const std::size_t length : {2u, 4u, 8u, 48u}) {
    for (const double mass : {0.05, 0.297, 1.7, 6.0}) {
      for (const std::optional<double>& found : effective_mass(cosh_correlator(length, mass))) {
        ASSERT_TRUE(found.has_value());
        EXPECT_NEAR(*found, mass, 1e-12);
      }
    }
  }
}

TEST(OscillatingEffectiveMass, IsThatOfTheStateThatDoesNotOscillate) {
  for (const std::size_t length : {8u, 16u, 48u}) {
    for (const double mass : {0.2, 0.7}) {
      for (const double partner : {0.3, 0.7, 1.1}) {
        for (const double weight : {0.4, -0.1}) {
          std::vector<double> correlator = cosh_correlator(length, mass);
          const std::vector<double> oscillating = cosh_correlator(length, partner);
          for (std::size_t t = 0; t < length; ++t) correlator[t] += (t % 2 == 0 ? weight : -weight) * oscillating[t];
          const auto found = oscillating_effective_mass(correlator);
          ASSERT_EQ(found.size(), length);
          for (std::size_t t = 0; t < length; ++t) {
            const bool inside = t >= 2 && t + 3 <= length;  // no stencil crosses t = 0
            ASSERT_EQ(found[t].has_value(), inside) << t;
            if (inside) {
              EXPECT_NEAR(*found[t], mass, 1e-6) << t;
            }
          }
        }
      }
    }
  }
}

TEST(OscillatingEffectiveMass, IsEmptyWhereThereIsNone) {
  for (const auto& mass : oscillating_effective_mass(std::vector<double>(8, 0.0))) EXPECT_FALSE(mass.has_value());
  for (const auto& mass : oscillating_effective_mass(std::vector<double>{3.0, 2.0, 1.0, 2.0})) {
    EXPECT_FALSE(mass.has_value());
  }
  KAON_EXPECT_ERROR(oscillating_effective_mass(std::vector<double>{1.0}), "needs at least two values of C, got 1");
  // Without a partner one equation is left, and the other is rounding.
  for (const double mass : {0.05, 0.3, 0.5, 0.725, 2.0}) {
    for (const std::size_t length : {8u, 16u, 48u}) {
      for (const auto& found : oscillating_effective_mass(cosh_correlator(length, mass))) {
        EXPECT_FALSE(found.has_value()) << mass << " " << *found;
      }
    }
  }
}

TEST(OscillatingEffectiveMass, IsEmptyWhereItsFormDoesNotHold) {
  const auto sign = [](int t) { return t % 2 == 0 ? 1.0 : -1.0; };
  struct Form {
    const char* name;
    std::function<double(int)> value;  // at the distance t from L/2
    std::size_t slices = 16;           // on which the form does not hold
  };
  const Form forms[] = {
      {"two states without oscillations", [](int t) { return std::cosh(0.3 * t) + 0.2 * std::cosh(0.9 * t); }},
      {"a second root between -2 and 2", [](int t) { return std::cosh(0.3 * t) + 0.2 * std::cos(0.9 * t); }},
      {"two partners", [=](int t) { return sign(t) * (std::cosh(0.3 * t) + 0.2 * std::cosh(0.9 * t)); }},
      {"complex roots", [](int t) { return std::cosh(0.3 * t) * std::cos(0.9 * t); }},
      {"a negative state", [=](int t) { return 0.2 * sign(t) * std::cosh(0.3 * t) - std::cosh(0.9 * t); }},
      {"a state that rises", [=](int t) { return std::exp(0.3 * t) + 0.2 * sign(t) * std::cosh(t); }, 8}};
  for (const auto& [name, value, slices] : forms) {
    std::vector<double> correlator;
    for (int t = 0; t < 16; ++t) correlator.push_back(value(t - 8));
    const auto found = oscillating_effective_mass(correlator);
    for (std::size_t t = 0; t < slices; ++t) EXPECT_FALSE(found[t].has_value()) << name << ", t = " << t;
  }
}

TEST(EffectiveMass, IsSymmetricAndFallsToTheGroundState) {
  std::vector<double> correlator = cosh_correlator(24, 0.3);
  const std::vector<double> excited = cosh_correlator(24, 1.1);
  for (std::size_t t = 0; t < correlator.size(); ++t) correlator[t] += 1e-2 * excited[t];
  const auto masses = effective_mass(correlator);
  for (std::size_t t = 0; t < 12; ++t) {
    EXPECT_NEAR(masses[t].value(), masses[23 - t].value(), 1e-12);
    EXPECT_GT(masses[t].value(), 0.3);
    if (t > 0) {
      EXPECT_LT(masses[t].value(), masses[t - 1].value());
    }
  }
}

TEST(EffectiveMass, IsEmptyWhereThereIsNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  //                    t = 0    1     2    3      4         5    6    7
  const auto masses = effective_mass(std::vector<double>{8.0, 4.0, nan, 1.0, 1.0, 0.0, infinity, -1.0});
  EXPECT_TRUE(masses[0].has_value());
  EXPECT_EQ(masses[3], 0.0);  // a constant
  for (const std::size_t t : {1u, 2u, 4u, 5u, 6u, 7u}) EXPECT_FALSE(masses[t].has_value()) << t;
  // Rising towards L/2; an odd length has a pair of slices at one distance from L/2.
  EXPECT_FALSE(effective_mass(std::vector<double>{1.0, 2.0, 3.0, 2.0})[0].has_value());
  EXPECT_FALSE(effective_mass(std::vector<double>{3.0, 2.0, 2.0})[1].has_value());
  EXPECT_TRUE(effective_mass(std::vector<double>{1e308, 1.0})[0].value() > 700.0);
  KAON_EXPECT_ERROR(effective_mass(std::vector<double>{1.0}), "needs at least two values of C, got 1");
}

TEST(ResidualMass, IsNoNumberOfCorrelatorsOutOfRange) {
  const std::vector<double> masses = residual_mass(std::vector{0.0, 1e-320, 2.0}, std::vector{0.0, 1.0, 4.0});
  EXPECT_TRUE(std::isnan(masses[0]) && std::isnan(masses[1]));
  EXPECT_EQ(masses[2], 0.5);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
