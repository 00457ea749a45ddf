// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_cases.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <cmath>

// Solvers that know nothing of slices, on domain wall quarks.
namespace kaon::test {
namespace KAON_TEST_FILE {

const DomainWallParameters quark{.mass = 0.05, .m5 = 1.8, .slices = 6, .b = 1.5, .c = 0.5};

/// |b - A x + shift x| / |b|, the largest of all right-hand sides.
double residual(const LinearOperator<double>& matrix, double shift, const SpinorField<double>& x,
                const SpinorField<double>& b) {
  SpinorField<double> r(b.lattice(), b.parameters());
  matrix.apply(r, x);
  blas::axpy(r, x, blas::Reals(static_cast<std::size_t>(x.right_hand_sides()), shift));
  const blas::Reals difference = blas::xmy_norm2(r, b), norm2 = blas::norm2(b);
  double largest = 0.0;
  for (std::size_t k = 0; k < norm2.size(); ++k) largest = std::max(largest, std::sqrt(difference[k] / norm2[k]));
  return largest;
}

SpinorField<double> noise(const LinearOperator<double>& matrix, int right_hand_sides) {
  SpinorField<double> b = matrix.make_field(right_hand_sides);
  set_gaussian(b, {.seed = 8});
  return b;
}

TEST(DomainWallSolvers, SolveSeveralShiftsOfTheNormalOperator) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const DomainWall<double> dirac(random_links<double>(lattice), quark);
  const std::vector<double> shifts{0.0, 0.05, 0.4};
  const NormalShiftSolver solver(dirac, shifts, {.tolerance = 1e-9});
  const NormalOperator<double> normal(dirac);
  const SpinorField<double> b = noise(dirac, 1);
  std::vector<SpinorField<double>> x;
  for (std::size_t k = 0; k < shifts.size(); ++k) x.push_back(dirac.make_field(1));
  for (const SolveResult& result : solver.solve(x, b)) require_converged(result);
  for (std::size_t k = 0; k < shifts.size(); ++k) EXPECT_LT(residual(normal, shifts[k], x[k], b), 1.0001e-9);
}

TEST(DomainWallSolvers, FindEigenvectorsOfTheNormalOperator) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const DomainWall<double> dirac(random_links<double>(lattice), quark);
  const Schur<double> schur(dirac, {SchurForm::asymmetric, Parity::even});
  const NormalOperator<double> normal(schur);
  const Eigenvectors<double> found = find_eigenvectors(normal, {.count = 3, .tolerance = 1e-9});
  ASSERT_TRUE(found.converged && found.complete);
  for (std::size_t k = 0; k < 3; ++k) {
    const SpinorField<double>& v = found.vectors[k];
    EXPECT_EQ(v.slices(), quark.slices);
    EXPECT_NEAR(blas::norm2(v)[0], 1.0, 1e-10);
    SpinorField<double> image = normal.make_field(1);
    normal.apply(image, v);
    EXPECT_NEAR(blas::inner_product(v, image)[0].real(), found.values[k], 1e-9);
    blas::axpy(image, v, blas::Reals{-found.values[k]});
    EXPECT_LT(std::sqrt(blas::norm2(image)[0]), 1e-7);
  }
  // The smallest eigenvalue bounds |N v|^2 of every vector v.
  const SpinorField<double> v = noise(schur, 1);
  SpinorField<double> image = schur.make_field(1);
  schur.apply(image, v);
  EXPECT_GT(blas::norm2(image)[0], found.values[0] * blas::norm2(v)[0]);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
