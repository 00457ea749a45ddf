// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/schur.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

namespace kaon::test {
namespace {

template <class T>
class SchurComplement : public ::testing::Test {};
TYPED_TEST_SUITE(SchurComplement, Precisions);

std::vector<SchurParameters> schur_forms() {
  return {{SchurForm::symmetric, Parity::even},
          {SchurForm::symmetric, Parity::odd},
          {SchurForm::asymmetric, Parity::even},
          {SchurForm::asymmetric, Parity::odd}};
}

TYPED_TEST(SchurComplement, EqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const FermionCase& fermion : fermion_cases()) {
      const GaugeField<TypeParam> links = random_links<TypeParam>(lattice);
      const auto dirac = make_operator<TypeParam>(links, fermion);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(fermion));
      const SpinorField<TypeParam> psi = gaussian<TypeParam>(lattice, 1);
      for (const SchurParameters& form : schur_forms()) {
        SCOPED_TRACE(describe(lattice, fermion));
        const Schur<TypeParam> schur(*dirac, form);
        const int p = static_cast<int>(form.parity);
        const bool symmetric = form.form == SchurForm::symmetric;
        const SpinorField<TypeParam> in = psi.parity(form.parity);
        const reference::Spinor values = reference::restrict_to_parity(psi.to_host(), p, lattice.extents());
        SpinorField<TypeParam> out = schur.make_field(1);
        schur.apply(out, in);
        EXPECT_LT(
            reference::relative_difference(out.to_host(), symmetric ? reference::schur_symmetric(slow, values, p)
                                                                    : reference::schur_asymmetric(slow, values, p)),
            tolerance<TypeParam>);
        schur.apply_dagger(out, in);
        EXPECT_LT(reference::relative_difference(out.to_host(),
                                                 symmetric ? reference::schur_symmetric_dagger(slow, values, p)
                                                           : reference::schur_asymmetric_dagger(slow, values, p)),
                  tolerance<TypeParam>);
        schur.prepare(out, psi);
        EXPECT_LT(reference::relative_difference(
                      out.to_host(), symmetric ? reference::schur_symmetric_source(slow, psi.to_host(), p)
                                               : reference::schur_asymmetric_source(slow, psi.to_host(), p)),
                  tolerance<TypeParam>);
      }
    }
  }
}

// If x solves M x = b on all sites, its parity p solves the Schur system, and reconstruction gives the other parity.
TYPED_TEST(SchurComplement, HasTheSolutionOfTheFullSystem) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const FermionCase& fermion : fermion_cases()) {
    SCOPED_TRACE(describe(lattice, fermion));
    const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), fermion);
    const SpinorField<TypeParam> x = gaussian<TypeParam>(lattice, 3);
    SpinorField<TypeParam> b(lattice, {.right_hand_sides = 3});
    dirac->apply(b, x);
    for (const SchurParameters& form : schur_forms()) {
      const Schur<TypeParam> schur(*dirac, form);
      SpinorField<TypeParam> source = schur.make_field(3), out = schur.make_field(3);
      schur.prepare(source, b);
      schur.apply(out, x.parity(form.parity));
      const std::vector<double> source_norm2 = blas::norm2(source);
      const std::vector<double> difference = blas::xmy_norm2(out, source);
      SpinorField<TypeParam> rebuilt(lattice, {.right_hand_sides = 3});
      SpinorField<TypeParam> rebuilt_half = rebuilt.parity(form.parity);
      blas::copy(rebuilt_half, x.parity(form.parity));
      schur.reconstruct(rebuilt, b);
      for (int rhs = 0; rhs < 3; ++rhs) {
        const auto k = static_cast<std::size_t>(rhs);
        EXPECT_LT(std::sqrt(difference[k] / source_norm2[k]), tolerance<TypeParam>);
        EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)), tolerance<TypeParam>);
      }
    }
  }
}

TYPED_TEST(SchurComplement, DaggerIsTheAdjoint) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const FermionCase& fermion : fermion_cases()) {
    SCOPED_TRACE(describe(lattice, fermion));
    const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), fermion);
    for (const SchurParameters& form : schur_forms()) {
      const Schur<TypeParam> schur(*dirac, form);
      const SpinorField<TypeParam> a = gaussian<TypeParam>(lattice, 2);
      const SpinorField<TypeParam> left = a.range(0, 1).parity(form.parity), right = a.range(1, 1).parity(form.parity);
      SpinorField<TypeParam> s_right = schur.make_field(1), s_left = schur.make_field(1);
      schur.apply(s_right, right);
      schur.apply_dagger(s_left, left);
      const auto direct = blas::inner_product(left, s_right)[0];
      const auto adjoint = blas::inner_product(s_left, right)[0];
      const double scale = std::sqrt(blas::norm2(left)[0] * blas::norm2(s_right)[0]);
      EXPECT_LT(std::abs(direct - adjoint) / scale, tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(SchurComplement, NormalOperatorIsTheProductWithTheAdjoint) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto dirac = make_operator<TypeParam>(random_links<TypeParam>(lattice), fermion_cases().back());
  const SpinorField<TypeParam> in = gaussian<TypeParam>(lattice, 2);
  SpinorField<TypeParam> between(lattice, {.right_hand_sides = 2}), expected(lattice, {.right_hand_sides = 2}),
      out(lattice, {.right_hand_sides = 2});
  dirac->apply(between, in);
  dirac->apply_dagger(expected, between);
  NormalOperator<TypeParam>(*dirac, NormalForm::residual).apply(out, in);
  EXPECT_EQ(out.to_host(1), expected.to_host(1));
  dirac->apply_dagger(between, in);
  dirac->apply(expected, between);
  NormalOperator<TypeParam>(*dirac, NormalForm::error).apply(out, in);
  EXPECT_EQ(out.to_host(1), expected.to_host(1));
}

}  // namespace
}  // namespace kaon::test
