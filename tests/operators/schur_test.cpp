// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_like_checks.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class SchurComplement : public ::testing::Test {};
TYPED_TEST_SUITE(SchurComplement, Precisions);

TYPED_TEST(SchurComplement, EqualsReference) { expect_reference_schur<TypeParam>(fermion_cases()); }

TYPED_TEST(SchurComplement, HasTheSolutionOfTheFullSystem) { expect_solution_in_schur<TypeParam>(fermion_cases()); }

TYPED_TEST(SchurComplement, NormalOperatorIsTheProductWithTheAdjoint) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), fermion_cases().back());
  const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 2);
  SpinorField<TypeParam> between(lattice, {.right_hand_sides = 2}), expected(lattice, {.right_hand_sides = 2}),
      out(lattice, {.right_hand_sides = 2});
  dirac->apply(between, in);
  adjointable(*dirac).apply_dagger(expected, between);
  NormalOperator<TypeParam>(*dirac, NormalForm::residual).apply(out, in);
  EXPECT_EQ(out.to_host(1), expected.to_host(1));
  adjointable(*dirac).apply_dagger(between, in);
  dirac->apply(expected, between);
  NormalOperator<TypeParam>(*dirac, NormalForm::error).apply(out, in);
  EXPECT_EQ(out.to_host(1), expected.to_host(1));
  KAON_EXPECT_ERROR(NormalOperator<TypeParam>(*dirac).apply(out, out), "output must not be its input");
}

TYPED_TEST(SchurComplement, RefusesResidualsOnOtherSites) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), fermion_cases()[2]);
  const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 1);
  SpinorField<TypeParam> out(lattice), even = out.parity(Parity::even), odd = out.parity(Parity::odd);
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const Schur<TypeParam> schur(*dirac, {.form = form});
    KAON_EXPECT_ERROR(schur.full_residual(odd, in.parity(Parity::odd)),
                      "but was given one with 4 spins, 3 colours on odd");
    KAON_EXPECT_ERROR(schur.full_residual(out, in), "but was given one with 4 spins, 3 colours on all sites");
    KAON_EXPECT_ERROR(schur.full_residual(even, even), "output must not be its input");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
