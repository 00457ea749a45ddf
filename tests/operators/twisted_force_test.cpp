// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/force_parts.hpp"
#include "tests/operators/force_cases.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/fermion_force.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

TEST(TwistedForce, IsTheDerivativeOfTheAction) {
  for (const Lattice& lattice : lattices()) {
    for (const TwistedCase& twisted : all_twisted_cases()) {
      ASSERT_NE(twisted.mu, 0.0);
      expect_pseudofermion_force(lattice, twisted);
    }
  }
}

// -n ln |det A| = -(n/2) ln det(C^2 + mu^2)
TEST(TwistedDeterminantForce, IsTheDerivativeOfTheLogarithm) {
  for (const TwistedCase& twisted : all_twisted_cases()) {
    if (!twisted.fermion.clover) continue;
    expect_determinant_force(twisted);
  }
}

TEST(TwistedForce, IsRefusedWhereItMakesNoSense) {
  const Lattice lattice({.extents = extents}), other({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const TwistedClover<double> dirac(links, {.mass = 0.1, .mu = 0.2});
  GaugeField<double> matrices(lattice);
  const std::vector<double> one{1.0};
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, gaussian<double>(lattice, 2), one),
                    "the force of 2 solutions with 1 residues");
  KAON_EXPECT_ERROR(add_determinant_force(matrices, dirac, Parity::even, std::nan("")), "is not finite");
  FieldStrengthDerivative derivative(lattice), elsewhere(other);
  const CloverField<double> odd = invert_clover_norm(dirac.clover(), 0.2, Subset::odd);
  KAON_EXPECT_ERROR(add_log_norm_determinant(derivative, dirac.clover(), odd, Parity::even, {}, 1.0),
                    "does not hold the parity");
  KAON_EXPECT_ERROR(add_log_norm_determinant(elsewhere, dirac.clover(), dirac.norm_inverse(), Parity::even, {}, 1.0),
                    "must lie on one lattice");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
