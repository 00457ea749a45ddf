// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/expect_products.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/operators/wilson_like_checks.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

// Every precision and storage of links against double with 18 reals, which twisted_mass_test.cpp compares with the slow
// reference.

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

// Products of a Schur complement with its argument and a third vector are those of its output in memory, except for the
// rounding of the output, and of the sums over a site in the arithmetic's precision.
TYPED_TEST(TwistedPrecision, OfProductsIsThatOfTheOutput) {
  using T = TypeParam;
  const double relative = 2.0 * (object_error<T>(24) + 24.0 * rounding<detail::Arithmetic<T>>());
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 4, 4}, .lanes = lanes});
    for (const TwistedCase& twisted : {twisted_cases()[1], all_twisted_cases().back()}) {
      SCOPED_TRACE(describe(lattice, twisted.fermion));
      const auto exact = make_operator<double>(random_links<double>(lattice), twisted);
      const auto dirac = converted<T>(*exact, twisted, LinkStorage::two_rows);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<T> schur(*dirac, {form, Parity::odd});
        for (const int right_hand_sides : {1, 3}) {
          const SpinorField<T> both = in_precision<T>(gaussian<double>(lattice, 2 * right_hand_sides));
          const SpinorField<T> x = both.range(0, right_hand_sides).parity(Parity::odd);
          const SpinorField<T> w = both.range(right_hand_sides, right_hand_sides).parity(Parity::odd);
          SpinorField<T> y = schur.make_field(right_hand_sides);
          for (const bool dagger : {false, true}) {
            const blas::Reductions<T> reductions{.x = true, .w = &w};
            const blas::Products found =
                (dagger ? schur.apply_dagger_and_reduce(y, x, reductions) : schur.apply_and_reduce(y, x, reductions))
                    .wait();
            const blas::Products expected = blas::reduce<T>(y, &x, {.x = true, .w = &w}).wait();
            expect_products_near(found, expected, blas::norm2(w), relative, true, true);
          }
        }
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
