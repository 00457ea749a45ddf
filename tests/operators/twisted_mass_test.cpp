// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/expect_products.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/operators/wilson_like_checks.hpp"
#include "tests/support/error_text.hpp"

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class TwistedOperators : public ::testing::Test {};
TYPED_TEST_SUITE(TwistedOperators, Precisions);

TYPED_TEST(TwistedOperators, EqualReference) { expect_reference<TypeParam>(all_twisted_cases()); }

TYPED_TEST(TwistedOperators, HopFormsEqualReference) { expect_reference_hops<TypeParam>(all_twisted_cases()); }

TYPED_TEST(TwistedOperators, ChangeTheSignOfMuUnderGamma5Hermiticity) {
  expect_gamma5_hermiticity<TypeParam>(all_twisted_cases(), [](const TwistedCase& twisted) {
    return TwistedCase{twisted.fermion, -twisted.mu, {-twisted.rho[0], -twisted.rho[1]}};
  });
}

TYPED_TEST(TwistedOperators, AreGaugeCovariant) { expect_gauge_covariance<TypeParam>(all_twisted_cases()); }

TYPED_TEST(TwistedOperators, ActOnFreePlaneWavesInClosedForm) { expect_free_plane_waves<TypeParam>(twisted_cases()); }

TYPED_TEST(TwistedOperators, GiveEachRightHandSideWhatItGetsAlone) {
  expect_the_same_alone<TypeParam>(all_twisted_cases());
}

TYPED_TEST(TwistedOperators, HaveTheSchurComplementsOfTheReference) {
  expect_reference_schur<TypeParam>(all_twisted_cases());
}

TYPED_TEST(TwistedOperators, HaveTheFullSolutionInTheirSchurSystems) {
  expect_solution_in_schur<TypeParam>(all_twisted_cases());
}

// An operator made from a given clover term equals the one that computes this term.
TEST(TwistedClover, TakesCloverTermsThatAreGiven) {
  const Lattice lattice({.extents = {8, 4, 4, 8}}), other({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  constexpr WilsonHopParameters hop{.anisotropy = {.xi0 = 2.464, .nu = 0.95}};
  constexpr double mu = -0.3;
  constexpr std::array<double, 2> rho{0.4, -0.2};
  const TwistedClover<double> computed(links, {.mass = 0.1,
                                               .mu = mu,
                                               .csw = 0.9,
                                               .csw_temporal = 1.1,
                                               .anisotropy = hop.anisotropy,
                                               .boundary = antiperiodic_in_time,
                                               .rho = rho});
  const TwistedClover<double> given(links, computed.clover(), mu, hop, rho);
  const SpinorField<double> in = gaussian<double>(lattice, 2);
  SpinorField<double> expected = computed.make_field(2), out = computed.make_field(2);
  computed.apply(expected, in);
  given.apply(out, in);
  EXPECT_EQ(out.to_host(1), expected.to_host(1));
  EXPECT_EQ(given.norm_inverse().to_host(), computed.norm_inverse().to_host());
  EXPECT_EQ(given.parameters().mu, mu);
  EXPECT_EQ(given.parameters().rho, rho);
  EXPECT_TRUE(std::isnan(given.parameters().mass) && std::isnan(given.parameters().csw));
  const TwistedClover<float> rounded(given), expected_rounded(computed);
  EXPECT_EQ(rounded.clover().to_host(), expected_rounded.clover().to_host());
  const CloverField<double> even(lattice, Subset::even), elsewhere(other);
  KAON_EXPECT_ERROR(TwistedClover<double>(links, even, mu, hop), "must be on all sites of the lattice of the links");
  KAON_EXPECT_ERROR(TwistedClover<double>(links, elsewhere, mu, hop), "must be on all sites of the lattice");
  KAON_EXPECT_ERROR(TwistedClover<double>(links, computed.clover(), std::nan(""), hop), "twisted mass nan");
  KAON_EXPECT_ERROR(TwistedClover<double>(links, computed.clover(), mu, hop, {0.0, std::nan("")}),
                    "the shifts 0 and nan");
}

TYPED_TEST(TwistedOperators, RefuseANumberThatIsNone) {
  const GaugeField<TypeParam> links = unit_links<TypeParam>(Lattice({.extents = {4, 4, 4, 4}}));
  for (TwistedCase twisted : {twisted_cases()[0], twisted_cases()[2]}) {
    twisted.mu = std::nan("");
    EXPECT_THROW(make_operator<TypeParam>(links, twisted), Error);
    twisted.mu = 0.1;
    twisted.fermion.parameters.mass = std::nan("");
    EXPECT_THROW(make_operator<TypeParam>(links, twisted), Error);
    twisted.fermion.parameters.mass = 0.1;
    twisted.fermion.parameters.anisotropy.xi0 = -1.0;
    EXPECT_THROW(make_operator<TypeParam>(links, twisted), Error);
  }
}

// Every precision and storage of links against double with 18 reals, which is compared with the slow reference above.
template <class T>
class TwistedPrecision : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(TwistedPrecision, AllPrecisions);

TYPED_TEST(TwistedPrecision, OfFullAndSchurOperatorsIsThatOfTheirStorage) {
  expect_precision_of_storage<TypeParam>(all_twisted_cases());
}

TYPED_TEST(TwistedPrecision, OfOperatorsDoesNotDependOnLanesAndBatches) {
  expect_the_same_in_lanes_and_batches<TypeParam>(std::vector{twisted_cases()[1], all_twisted_cases().back()});
}

TYPED_TEST(TwistedPrecision, OfProductsIsThatOfTheOutput) {
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 4, 4}, .lanes = lanes});
    for (const TwistedCase& twisted : {twisted_cases()[1], all_twisted_cases().back()}) {
      SCOPED_TRACE(describe(lattice, twisted.fermion));
      const auto exact = make_operator<double>(random_links<double>(lattice), twisted);
      const auto dirac = converted<TypeParam>(*exact, twisted, LinkStorage::two_rows);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<TypeParam> schur(*dirac, {form, Parity::odd});
        for (const int right_hand_sides : {1, 3}) {
          for (const bool dagger : {false, true}) {
            expect_products<TypeParam>(schur, right_hand_sides, products_rounding<TypeParam>(24), {.dagger = dagger});
          }
        }
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
