// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/covariant_sum.hpp>

#include <cmath>

namespace kaon {
namespace KAON_TEST_FILE {

using test::test_lattices;
using test::to_host;

template <class T>
class CovariantSumOf : public ::testing::Test {};
TYPED_TEST_SUITE(CovariantSumOf, test::Precisions);

TYPED_TEST(CovariantSumOf, OneTermEqualsTheReferencesShift) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
    const SpinorField<TypeParam> in = test::random_spinors<TypeParam>(lattice, 3, 2);
    SpinorField<TypeParam> out(lattice, in.parameters());
    for (int mu = 0; mu < 4; ++mu) {
      for (const int step : {1, -1}) {
        std::vector<reference::Spinor> expected = to_host(in);
        for (reference::Spinor& psi : expected) {
          psi = reference::covariant_shift(psi, links.to_host(), mu, step, lattice.extents());
        }
        covariant_shift(out, in, links, {.direction = mu, .forward = step == 1});
        EXPECT_LT(test::relative_difference(to_host(out), expected), test::tolerance<TypeParam>)
            << "direction " << mu << ", step " << step;
      }
    }
  }
}

TYPED_TEST(CovariantSumOf, AllTermsEqualTheReferencesSum) {
  const CovariantSum sum{
      .forward = {true, false, true, true}, .backward = {true, true, false, true}, .weight = -0.3, .center = 1.7};
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
    const SpinorField<TypeParam> in = test::random_spinors<TypeParam>(lattice, 1, 2);
    const reference::Spinor psi = in.to_host();
    reference::Spinor expected(psi.size());
    for (std::size_t k = 0; k < psi.size(); ++k) expected[k] = sum.center * psi[k];
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (const int step : {1, -1}) {
        if (!(step == 1 ? sum.forward : sum.backward)[mu]) continue;
        expected = reference::add(
            expected, sum.weight,
            reference::covariant_shift(psi, links.to_host(), static_cast<int>(mu), step, lattice.extents()));
      }
    }
    SpinorField<TypeParam> out(lattice);
    covariant_sum(out, in, links, sum);
    EXPECT_LT(reference::relative_difference(out.to_host(), expected), test::tolerance<TypeParam>);
  }
}

TYPED_TEST(CovariantSumOf, ShiftThereAndBackIsTheIdentity) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
  const SpinorField<TypeParam> in = test::random_spinors<TypeParam>(lattice, 2, 2);
  SpinorField<TypeParam> there(lattice, in.parameters()), back(lattice, in.parameters());
  for (int mu = 0; mu < 4; ++mu) {
    for (const bool forward : {true, false}) {
      covariant_shift(there, in, links, {.direction = mu, .forward = forward});
      covariant_shift(back, there, links, {.direction = mu, .forward = !forward});
      EXPECT_LT(test::relative_difference(to_host(back), to_host(in)), test::tolerance<TypeParam>);
    }
  }
}

// The sum reads in(x) only where its weight is not zero.
TYPED_TEST(CovariantSumOf, NoCentreIsReadWithoutAWeight) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
  SpinorField<TypeParam> in = test::random_spinors<TypeParam>(lattice, 1, 2);
  reference::Spinor psi = in.to_host();
  reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
    if (reference::parity_of(x) == 0) psi[reference::spinor_offset(x, lattice.extents())] = std::nan("");
  });
  in.from_host(psi);
  SpinorField<TypeParam> out(lattice);
  covariant_shift(out, in, links, {.direction = 2});
  const reference::Spinor shifted = out.to_host();
  reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
    const bool is_even = reference::parity_of(x) == 0;
    EXPECT_EQ(std::isnan(shifted[reference::spinor_offset(x, lattice.extents())].real()), !is_even);
  });
}

// Constant fields have the eigenvalue 1 - 2 D kappa, and on random links M = M^dag.
TYPED_TEST(CovariantSumOf, ShiftsIsALaplaceOperator) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const int dimensions : {3, 4}) {
    const LaplaceParameters parameters{.kappa = 0.11, .dimensions = dimensions, .spins = 4};
    const GaugeField<TypeParam> unit = test::unit_links<TypeParam>(lattice);
    SpinorField<TypeParam> one(lattice), out(lattice);
    one.from_host(reference::Spinor(static_cast<std::size_t>(12 * lattice.volume()), 1.0));
    CovariantLaplace<TypeParam>(unit, parameters).apply(out, one);
    for (const reference::Complex& z : out.to_host()) {
      EXPECT_LT(std::abs(z - (1.0 - 2.0 * dimensions * parameters.kappa)), test::tolerance<TypeParam>);
    }
    const CovariantLaplace<TypeParam> laplace(test::random_links<TypeParam>(lattice, 1), parameters);
    const SpinorField<TypeParam> x = test::random_spinors<TypeParam>(lattice, 1, 2);
    const SpinorField<TypeParam> y = test::random_spinors<TypeParam>(lattice, 1, 3);
    laplace.apply(out, x);
    const reference::Complex one_way = blas::inner_product(y, out).at(0);
    laplace.apply_dagger(out, y);
    const reference::Complex other_way = blas::inner_product(out, x).at(0);
    EXPECT_LT(std::abs(one_way - other_way), test::tolerance<TypeParam> * static_cast<double>(lattice.volume()));
    EXPECT_GT(std::abs(one_way), 1.0);
  }
}

TYPED_TEST(CovariantSumOf, LaplaceOperatorsRefuseOtherDimensions) {
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(Lattice({.extents = {4, 4, 4, 4}}), 1);
  KAON_EXPECT_ERROR(CovariantLaplace<TypeParam>(links, {.kappa = 0.1, .dimensions = 2}),
                    "a Laplace operator has 3 or 4 dimensions, not 2");
  KAON_EXPECT_ERROR(CovariantLaplace<TypeParam>(links, {.kappa = std::nan("")}), "kappa = nan is not finite");
  KAON_EXPECT_ERROR(CovariantLaplace<TypeParam>(links, {.kappa = 0.1, .spins = 0}), "one spin or more, not on 0");
}

TYPED_TEST(CovariantSumOf, FieldsThatDoNotFitAreRefused) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
  SpinorField<TypeParam> out(lattice), in(lattice), two(lattice, {.right_hand_sides = 2});
  KAON_EXPECT_ERROR(covariant_shift(out, in, links, {.direction = 4}), "direction 4 of a shift is none of 0 to 3");
  KAON_EXPECT_ERROR(covariant_shift(out, out, links, {}), "need two fields, not one");
  KAON_EXPECT_ERROR(covariant_shift(out, two, links, {}), "need two fields of one shape");
  KAON_EXPECT_ERROR(covariant_sum(out, in, links, {.weight = std::nan("")}), "must be finite, not nan and 0");
  const SpinorField<TypeParam> even = in.parity(Parity::even);
  KAON_EXPECT_ERROR(covariant_shift(out, even, links, {}),
                    "need a field of 3 colours on both parities, not 3 colours on one");
  const SpinorField<TypeParam> larger(Lattice({.extents = {4, 4, 4, 8}}));
  KAON_EXPECT_ERROR(covariant_shift(out, larger, links, {}),
                    "a field on lattice 4x4x4x8 cannot be shifted by links on lattice 4x4x4x4");
  const GaugeField<TypeParam> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(covariant_shift(out, in, compressed, {}), "18");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
