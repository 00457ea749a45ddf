// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"
#include "tests/reference/gamma.hpp"

#include <kaon/core/random.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/wilson.hpp>

namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;

constexpr Complex i{0.0, 1.0};
constexpr SpinBasis all_bases[] = {SpinBasis::degrand_rossi, SpinBasis::dirac_pauli, SpinBasis::milc, SpinBasis::chiral,
                                   SpinBasis::ukqcd};

/// [[a s_k, b s_k], [c s_k, d s_k]], s_0 = 1 and s_1, s_2, s_3 the Pauli matrices.
SpinMatrix of_blocks(int k, Complex a, Complex b, Complex c, Complex d) {
  const Complex pauli[4][2][2] = {
      {{1.0, 0.0}, {0.0, 1.0}}, {{0.0, 1.0}, {1.0, 0.0}}, {{0.0, -i}, {i, 0.0}}, {{1.0, 0.0}, {0.0, -1.0}}};
  const Complex factors[2][2] = {{a, b}, {c, d}};
  SpinMatrix result;
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      result[row][column] = factors[row / 2][column / 2] * pauli[k][row % 2][column % 2];
    }
  }
  return result;
}

/// Rotates the matrix g from DeGrand-Rossi's basis to another one.
SpinMatrix in_basis(SpinBasis basis, const SpinMatrix& g) {
  using reference::operator*;
  const SpinMatrix v = basis_rotation({.to = basis});
  return v * g * reference::dagger(v);
}

TEST(SpinBasis, Gamma5MakesTheAdjointOfAWilsonOperator) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const WilsonClover<double> dirac(test::random_links<double>(lattice, 3), {.mass = 0.1, .csw = 1.2});
  SpinorField<double> psi = test::random_spinors<double>(lattice, 2, 5);
  SpinorField<double> adjoint = dirac.make_field(2), sandwich = dirac.make_field(2);
  dirac.apply_dagger(adjoint, psi);
  apply_gamma5(psi);
  dirac.apply(sandwich, psi);
  apply_gamma5(sandwich);
  const blas::Reals norm2 = blas::norm2(adjoint), difference2 = blas::xmy_norm2(sandwich, adjoint);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_LT(difference2[k], 1e-30 * norm2[k]);
  SpinorField<double> scalar(lattice, {.spins = 1});
  EXPECT_THROW(apply_gamma5(scalar), Error);
}

TEST(SpinBasis, ActsOnEachSlice) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  SpinorField<double> psi(lattice, {.right_hand_sides = 2, .slices = 3});
  set_gaussian(psi, {.seed = 5});
  SpinorField<double> turned = blas::clone(psi), reflected = blas::clone(psi), changed = blas::clone(psi);
  apply_gamma5(turned);
  apply_reflected_gamma5(reflected);
  change_spinor_basis(changed, {.from = SpinBasis::ukqcd});
  for (const Parity parity : {Parity::even, Parity::odd}) {
    for (int s = 0; s < 3; ++s) {
      const auto expect_equal = [&](const SpinorField<double>& found, const SpinorField<double>& expected) {
        SpinorField<double> difference = blas::clone(found.parity(parity).slice(s));
        blas::axpy(difference, expected, blas::Reals(2, -1.0));
        EXPECT_EQ(blas::norm2(difference), blas::Reals(2)) << s;
      };
      SpinorField<double> here = blas::clone(psi.parity(parity).slice(s)),
                          there = blas::clone(psi.parity(parity).slice(2 - s));
      SpinorField<double> in_basis = blas::clone(here);
      apply_gamma5(here);
      apply_gamma5(there);
      change_spinor_basis(in_basis, {.from = SpinBasis::ukqcd});
      expect_equal(turned, here);
      expect_equal(reflected, there);
      expect_equal(changed, in_basis);
    }
  }
}

TEST(SpinBasis, RotationsAreUnitaryAndInverses) {
  using reference::operator*;
  for (const SpinBasis a : all_bases) {
    for (const SpinBasis b : all_bases) {
      const SpinMatrix there = basis_rotation({.from = a, .to = b});
      const SpinMatrix back = basis_rotation({.from = b, .to = a});
      EXPECT_LT(reference::max_difference(there, reference::dagger(back)), test::tolerance<double>);
      EXPECT_LT(reference::max_difference(there * back, reference::identity_spin_matrix()), test::tolerance<double>);
    }
  }
}

TEST(SpinBasis, HasTheGammaMatricesThatDefineIt) {
  constexpr double rounding = test::tolerance<double>;
  for (int mu = 0; mu < 3; ++mu) {
    const SpinMatrix g = reference::gamma(mu);
    EXPECT_LT(reference::max_difference(in_basis(SpinBasis::dirac_pauli, g), of_blocks(mu + 1, 0.0, -i, i, 0.0)),
              rounding);
    EXPECT_LT(reference::max_difference(in_basis(SpinBasis::milc, g), of_blocks(mu + 1, 0.0, 1.0, 1.0, 0.0)), rounding);
    EXPECT_LT(reference::max_difference(in_basis(SpinBasis::chiral, g), of_blocks(mu + 1, 0.0, -i, i, 0.0)), rounding);
    EXPECT_LT(reference::max_difference(in_basis(SpinBasis::ukqcd, g), of_blocks(mu + 1, 0.0, i, -i, 0.0)), rounding);
  }
  for (const SpinBasis basis : {SpinBasis::dirac_pauli, SpinBasis::milc, SpinBasis::ukqcd}) {
    EXPECT_LT(reference::max_difference(in_basis(basis, reference::gamma(3)), of_blocks(0, 1.0, 0.0, 0.0, -1.0)),
              rounding);
  }
  EXPECT_LT(
      reference::max_difference(in_basis(SpinBasis::chiral, reference::gamma(3)), of_blocks(0, 0.0, -1.0, -1.0, 0.0)),
      rounding);
  const SpinMatrix g5 = reference::gamma5();
  EXPECT_LT(reference::max_difference(in_basis(SpinBasis::chiral, g5), of_blocks(0, -1.0, 0.0, 0.0, 1.0)), rounding);
  EXPECT_LT(reference::max_difference(in_basis(SpinBasis::ukqcd, g5), of_blocks(0, 0.0, 1.0, 1.0, 0.0)), rounding);
  EXPECT_LT(reference::max_difference(in_basis(SpinBasis::dirac_pauli, g5), of_blocks(0, 0.0, -1.0, -1.0, 0.0)),
            rounding);
  EXPECT_LT(reference::max_difference(in_basis(SpinBasis::milc, g5), of_blocks(0, 0.0, -i, i, 0.0)), rounding);
}

template <class T>
class BasisChangeOf : public ::testing::Test {};
TYPED_TEST_SUITE(BasisChangeOf, test::Precisions);

TYPED_TEST(BasisChangeOf, SpinorMultipliesItByTheRotation) {
  for (const Lattice& lattice : test::test_lattices()) {
    for (const SpinBasis basis : all_bases) {
      SpinorField<TypeParam> psi = test::random_spinors<TypeParam>(lattice, 2, 1);
      std::vector<reference::Spinor> expected;
      for (const reference::Spinor& spinor : test::to_host(psi)) {
        expected.push_back(reference::multiply(basis_rotation({.from = basis}), spinor));
      }
      change_spinor_basis(psi, {.from = basis});
      EXPECT_LT(test::relative_difference(test::to_host(psi), expected), test::tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(BasisChangeOf, PropagatorRotatesSinkAndSource) {
  for (const Lattice& lattice : test::test_lattices()) {
    for (const SpinBasis basis : all_bases) {
      const SpinMatrix v = basis_rotation({.to = basis});
      SpinorField<TypeParam> propagator = test::random_spinors<TypeParam>(lattice, 12, 1);
      const std::vector<double> correlator = pion_correlator(propagator);
      const std::vector<reference::Spinor> before = test::to_host(propagator);
      std::vector<reference::Spinor> expected(12, reference::zero_spinor(lattice.extents()));
      for (std::size_t rhs = 0; rhs < 12; ++rhs) {
        for (std::size_t spin = 0; spin < 4; ++spin) {  // (S V^dag)_{rhs spin} = sum S_spin conj(V_{rhs spin, spin})
          expected[rhs] = reference::add(expected[rhs], std::conj(v[rhs / 3][spin]), before[3 * spin + rhs % 3]);
        }
        expected[rhs] = reference::multiply(v, expected[rhs]);
      }
      change_propagator_basis(propagator, {.to = basis});
      EXPECT_LT(test::relative_difference(test::to_host(propagator), expected), test::tolerance<TypeParam>);
      // A unitary rotation leaves sums of squares as they are.
      const std::vector<double> rotated = pion_correlator(propagator);
      for (std::size_t t = 0; t < rotated.size(); ++t) {
        EXPECT_NEAR(rotated[t] / correlator[t], 1.0, test::tolerance<TypeParam>);
      }
      change_propagator_basis(propagator, {.from = basis});
      EXPECT_LT(test::relative_difference(test::to_host(propagator), before), test::tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(BasisChangeOf, FieldsOfOtherShapesIsRefused) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  SpinorField<TypeParam> staggered(lattice, {.spins = 1, .right_hand_sides = 3});
  SpinorField<TypeParam> one(lattice);
  KAON_EXPECT_ERROR(change_spinor_basis(staggered, {}), "a change of spin basis needs a field of 4 spins, not 1");
  KAON_EXPECT_ERROR(change_propagator_basis(staggered, {}), "needs a field of 4 spins, not 1");
  KAON_EXPECT_ERROR(change_propagator_basis(one, {}), "a propagator has 12 right-hand sides, one a component, not 1");
}

TYPED_TEST(BasisChangeOf, NormalizationIsAFactorOfTwoKappa) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  SpinorField<TypeParam> propagator = test::random_spinors<TypeParam>(lattice, 12, 1);
  const std::vector<reference::Spinor> before = test::to_host(propagator);
  std::vector<reference::Spinor> expected = before;
  for (reference::Spinor& psi : expected) {
    for (Complex& z : psi) z *= 0.3;
  }
  from_kappa_normalization(propagator, 0.15);
  EXPECT_LT(test::relative_difference(test::to_host(propagator), expected), test::tolerance<TypeParam>);
  to_kappa_normalization(propagator, 0.15);
  EXPECT_LT(test::relative_difference(test::to_host(propagator), before), test::tolerance<TypeParam>);
  KAON_EXPECT_ERROR(from_kappa_normalization(propagator, 0.0), "kappa must be positive, got 0");
  KAON_EXPECT_ERROR(to_kappa_normalization(propagator, -0.1), "kappa must be positive, got -0.1");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
