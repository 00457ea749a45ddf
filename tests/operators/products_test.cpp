// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/expect_products.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class ProductsOf : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(ProductsOf, AllPrecisions);

TYPED_TEST(ProductsOf, SchurComplementsAreThoseOfTheirOutput) {
  for (const Lattice& lattice : {Lattice({.extents = {8, 4, 4, 8}}), Lattice({.extents = {2, 2, 2, 6}}),
                                 Lattice({.extents = {4, 6, 2, 4}, .lanes = Lanes::single})}) {
    for (const FermionCase& fermion : {fermion_cases()[1], fermion_cases()[3]}) {
      SCOPED_TRACE(describe(lattice, fermion));
      const auto exact = make_operator<double>(random_links<double>(lattice), fermion);
      const auto dirac = converted<TypeParam>(*exact, fermion, LinkStorage::two_rows);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<TypeParam> schur(*dirac, {form, Parity::odd});
        for (const int right_hand_sides : {1, 13}) {
          for (const bool dagger : {false, true}) {
            expect_products<TypeParam>(schur, right_hand_sides, products_rounding<TypeParam>(24), {.dagger = dagger});
          }
        }
      }
    }
  }
}

TYPED_TEST(ProductsOf, OtherOperatorsAreThoseOfTheirOutput) {
  const Lattice lattice({.extents = {8, 4, 4, 4}});
  const FermionCase fermion = fermion_cases()[3];
  const auto exact = make_operator<double>(random_links<double>(lattice), fermion);
  const auto dirac = converted<TypeParam>(*exact, fermion, LinkStorage::full);
  const double relative = products_rounding<TypeParam>(24);
  expect_products<TypeParam>(*dirac, 3, relative);
  // <N x, x> = |M x|^2 differs from the product of stored vectors by the rounding of M x and of N x, which |M|^2 |x|^2
  // bounds where |N x| |x| need not: the norms of this M lie between 0.5 and 10.
  const Schur<TypeParam> schur(*dirac);
  for (const NormalForm form : {NormalForm::residual, NormalForm::error}) {
    expect_products<TypeParam>(NormalOperator<TypeParam>(schur, form), 3, 10.0 * relative);
  }
}

// Squares of such numbers are zero or infinite in single precision.
TYPED_TEST(ProductsOf, VerySmallAndLargeVectorsAreRight) {
  const Lattice lattice({.extents = {8, 4, 4, 4}});
  const auto exact = make_operator<double>(random_links<double>(lattice), fermion_cases()[3]);
  const auto dirac = converted<TypeParam>(*exact, fermion_cases()[3], LinkStorage::full);
  const Schur<TypeParam> schur(*dirac);
  for (const double magnitude : {1e-25, 1e-17, 1e-12, 1e12, 1e22}) {
    SCOPED_TRACE(magnitude);
    expect_products<TypeParam>(schur, 2, products_rounding<TypeParam>(24), {.magnitude = magnitude});
  }
}

TYPED_TEST(ProductsOf, HopsNeedX) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto exact = make_operator<double>(random_links<double>(lattice), fermion_cases()[0]);
  const auto dirac = converted<TypeParam>(*exact, fermion_cases()[0], LinkStorage::full);
  SpinorField<TypeParam> out(lattice, {.subset = Subset::even}), in(lattice, {.subset = Subset::odd});
  SpinorField<TypeParam> other(lattice, {.subset = Subset::even, .right_hand_sides = 2});
  SpinorField<TypeParam> x(lattice, {.subset = Subset::even});
  blas::PendingReductions reduced;
  KAON_EXPECT_ERROR(dirac->hop(out, in, {.reduced = &reduced}), "reductions of a hop need x");
  KAON_EXPECT_ERROR(dirac->hop(out, in, {.x = &x, .reductions = {.w = &other}, .reduced = &reduced}),
                    "w of a hop's reductions must have the output's");
  KAON_EXPECT_ERROR(dirac->hop(out, in, {.x = &out, .reduced = &reduced}), "x and w that are not its output");
  KAON_EXPECT_ERROR(dirac->hop(out, in, {.x = &x, .reductions = {.w = &out}, .reduced = &reduced}),
                    "x and w that are not its output");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
