// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lanes/fixed_point.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/expect_products.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class ProductsOf : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(ProductsOf, AllPrecisions);

/// Products are those of vectors in memory, except for the rounding of a stored y, sqrt(24) eps of each site's norm in
/// 16 bits, and of the sums: those over a site's 12 complex numbers are computed in the arithmetic's precision.
template <class T>
constexpr double rounding() {
  const double stored = std::is_same_v<T, half> ? std::sqrt(24.0) * 0.5 * detail::spacing<T>() : 0.0;
  return stored + 24.0 * detail::spacing<detail::Arithmetic<T>>();
}

/// `apply` has the same output with reductions as without, and the reductions are those of the fields.
template <class T, class Apply, class ApplyAndReduce>
void expect_products(const LinearOperator<T>& matrix, int right_hand_sides, const Apply& apply,
                     const ApplyAndReduce& apply_and_reduce, double relative = rounding<T>(), double magnitude = 1.0) {
  SpinorField<T> x = matrix.make_field(right_hand_sides), w = matrix.make_field(right_hand_sides);
  SpinorField<T> y = matrix.make_field(right_hand_sides), y_alone = matrix.make_field(right_hand_sides);
  SpinorField<double> gaussian(matrix.lattice(), x.parameters());
  for (SpinorField<T>* field : {&x, &w}) {
    set_gaussian(gaussian, {.seed = field == &x ? 3u : 4u});
    blas::scale(gaussian, blas::Reals(static_cast<std::size_t>(right_hand_sides), magnitude));
    blas::copy(*field, gaussian);
  }
  apply(y_alone, x);
  const blas::Reals w_norm2 = blas::norm2(w);
  for (const bool with_x : {false, true}) {
    for (const bool with_w : {false, true}) {
      SCOPED_TRACE((with_x ? "with x, " : "without x, ") + std::string(with_w ? "with w" : "without w"));
      blas::set_zero(y);
      const blas::Products found = apply_and_reduce(y, x, blas::Reductions<T>{.x = with_x, .w = with_w ? &w : nullptr});
      const blas::Products expected = blas::reduce<T>(y_alone, &x, {.x = true, .w = &w}).wait();
      blas::axpy(y, y_alone, blas::Reals(static_cast<std::size_t>(right_hand_sides), -1.0));
      const blas::Reals difference = blas::norm2(y);
      for (std::size_t k = 0; k < difference.size(); ++k) {
        EXPECT_LE(std::sqrt(difference[k]),
                  2.0 * relative * (std::sqrt(expected.y_norm2[k]) + std::sqrt(expected.x_norm2[k])));
      }
      expect_products_near(found, expected, w_norm2, relative, with_x, with_w);
    }
  }
}

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
          expect_products<TypeParam>(
              schur, right_hand_sides, [&](auto& y, const auto& x) { schur.apply(y, x); },
              [&](auto& y, const auto& x, const auto& reductions) {
                return schur.apply_and_reduce(y, x, reductions).wait();
              });
          expect_products<TypeParam>(
              schur, right_hand_sides, [&](auto& y, const auto& x) { schur.apply_dagger(y, x); },
              [&](auto& y, const auto& x, const auto& reductions) {
                return schur.apply_dagger_and_reduce(y, x, reductions).wait();
              });
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
  const auto check = [&](const LinearOperator<TypeParam>& matrix, double relative) {
    expect_products<TypeParam>(
        matrix, 3, [&](auto& y, const auto& x) { matrix.apply(y, x); },
        [&](auto& y, const auto& x, const auto& reductions) {
          return matrix.apply_and_reduce(y, x, reductions).wait();
        },
        relative);
  };
  check(*dirac, rounding<TypeParam>());
  // <N x, x> = |M x|^2 differs from the product of stored vectors by the rounding of M x and of N x, which |M|^2 |x|^2
  // bounds where |N x| |x| need not: the norms of this M lie between 0.5 and 10.
  const Schur<TypeParam> schur(*dirac);
  for (const NormalForm form : {NormalForm::residual, NormalForm::error}) {
    check(NormalOperator<TypeParam>(schur, form), 10.0 * rounding<TypeParam>());
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
    expect_products<TypeParam>(
        schur, 2, [&](auto& y, const auto& x) { schur.apply(y, x); },
        [&](auto& y, const auto& x, const auto& reductions) { return schur.apply_and_reduce(y, x, reductions).wait(); },
        rounding<TypeParam>(), magnitude);
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
