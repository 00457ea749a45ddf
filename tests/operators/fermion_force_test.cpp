// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/force_parts.hpp"
#include "tests/operators/force_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/fermion_force.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

/// The cases of all operator tests, and periodic ones.
std::vector<FermionCase> force_cases() {
  std::vector<FermionCase> cases = fermion_cases();
  cases.push_back({"periodic Wilson", false, {.mass = 0.2, .boundary = periodic}});
  cases.push_back({"periodic clover", true, {.mass = 0.1, .csw = 1.3, .boundary = periodic}});
  return cases;
}

TEST(FermionForce, IsTheDerivativeOfTheAction) {
  const Lattice lattice({.extents = extents});
  for (const FermionCase& fermion : force_cases()) expect_pseudofermion_force(lattice, fermion);
}

TEST(FermionForce, IsTheSameInAllLanes) {
  for (const FermionCase& fermion : force_cases()) {
    for (const Subset subset : {Subset::full, Subset::even, Subset::odd}) {
      const auto force = [&](Lanes lanes) {
        const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
        const GaugeField<double> links = random_links<double>(lattice);
        SpinorField<double> x(lattice, {.subset = subset, .right_hand_sides = 2});
        set_gaussian(x, {.seed = 11});
        GaugeField<double> matrices(lattice);
        add_fermion_force(matrices, *make_operator<double>(links, fermion), x, std::vector<double>{0.3, -1.2});
        return matrices.to_host();
      };
      EXPECT_LT(reference::relative_difference(force(Lanes::native), force(Lanes::single)), 1e-14) << fermion.name;
    }
  }
}

TEST(DeterminantForce, IsTheDerivativeOfTheLogarithm) {
  for (const FermionCase& fermion : force_cases()) {
    if (!fermion.clover) continue;
    expect_determinant_force(fermion);
  }
}

// V is added to the content.
TEST(FermionForce, IsAddedToMatrices) {
  const Lattice lattice({.extents = extents});
  const FermionCase fermion = fermion_cases()[3];
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonClover<double> dirac(links, fermion.parameters);
  const SpinorField<double> x = gaussian<double>(lattice, 2);
  const std::vector<double> residues{0.3, -1.2};
  GaugeField<double> once(lattice), twice(lattice);
  add_fermion_force(once, dirac, x, residues);
  for (int k = 0; k < 2; ++k) add_fermion_force(twice, dirac, x, residues);
  const reference::Links v = once.to_host();
  EXPECT_LT(reference::relative_difference(twice.to_host(), reference::add(v, 1.0, v)), 5e-15);
}

TEST(FermionForce, IsRefusedWhereItMakesNoSense) {
  const Lattice lattice({.extents = extents}), other({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonClover<double> dirac(links, {.mass = 0.1});
  const SpinorField<double> x = gaussian<double>(lattice, 2);
  GaugeField<double> matrices(lattice), elsewhere(other);
  const std::vector<double> one{1.0}, two{1.0, std::nan("")}, good{1.0, 1.0};
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, x, one), "the force of 2 solutions with 1 residues");
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, x, two), "the residue nan of a force is not finite");
  KAON_EXPECT_ERROR(add_fermion_force(elsewhere, dirac, x, good), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, gaussian<double>(other, 2), good), "lattice");
  const WilsonClover<double> given(links, dirac.site_term(), {});
  KAON_EXPECT_ERROR(add_fermion_force(matrices, given, x, good), "needs its c_sw");
  FieldStrengthDerivative derivative(lattice);
  KAON_EXPECT_ERROR(
      add_log_determinant(derivative, invert_clover(dirac.site_term(), Subset::even), Parity::odd, {}, 1.0),
      "does not hold the parity");
  KAON_EXPECT_ERROR(add_field_strength_force(elsewhere, links, derivative), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_field_strength_force(matrices, matrices, derivative), "must not be the links themselves");
  KAON_EXPECT_ERROR(add_clover_products(derivative, force_fields(dirac, x, x), {.spatial = std::nan("")}),
                    "the weight nan of a force is not finite");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
